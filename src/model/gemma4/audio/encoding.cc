// An audio tower, in the order of its description: log-mel features, two convolutions that take
// four frames together, the layers (half a feed-forward, attention to the rows just before, a
// convolution over time, half a feed-forward), the projector. Shapes stand where the tensors are
// declared (tower.h, encoding.h); stages.cc says how the work is cut.

#include "model/gemma4/audio/encoding.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pleiad::gemma4 {

void SoundEncoding::compute_features(std::int64_t first, std::int64_t n) {
  tower_.log_mel_.fill(samples_, first,
                       std::span(features_).subspan(static_cast<std::size_t>(first * kMelBands),
                                                    static_cast<std::size_t>(n * kMelBands)));
}

// x = W relu(norm(conv(relu(norm(conv(features))))))
void SoundEncoding::subsample(std::int64_t first, std::int64_t n) {
  // Few rows at a time: each has a map of its own.
  const std::int64_t most = std::max<std::int64_t>(tower_.options_.max_rows / kSubsampledBands, 1);
  for (std::int64_t i = 0; i < n; i += most) {
    second_convolution(first + i, std::min(most, n - i));
  }
}

void SoundEncoding::second_convolution(std::int64_t first, std::int64_t n) {
  const std::int64_t before = tower_.conv0_.channels();
  const std::int64_t map_row = kMelBands / 2 * before;
  const std::int64_t n_map_rows = (n_frames_ + 1) / 2;
  // Row 0 of the map is the last one before 2 * first.
  std::span<float> map(tower_.map_);
  map = map.first(static_cast<std::size_t>((2 * n + 1) * map_row));
  for (std::int64_t i = 0; i < 2 * n + 1; ++i) {
    const std::int64_t t = 2 * first - 1 + i;
    const auto row =
        map.subspan(static_cast<std::size_t>(i * map_row), static_cast<std::size_t>(map_row));
    if (t < 0 || t >= n_map_rows) {
      std::ranges::fill(row, 0.0F);
    } else {
      tower_.conv0_.fill_row(features_, t, row);
    }
  }
  const std::int64_t square = 9 * before;
  const std::int64_t channels = config_.conv_channels[1];
  const std::span<float> squares =
      std::span(tower_.squares_).first(static_cast<std::size_t>(n * kSubsampledBands * square));
  for (std::int64_t i = 0; i < n; ++i) {
    gather_squares(map.subspan(static_cast<std::size_t>(2 * i * map_row),
                               static_cast<std::size_t>(3 * map_row)),
                   before,
                   squares.subspan(static_cast<std::size_t>(i * kSubsampledBands * square),
                                   static_cast<std::size_t>(kSubsampledBands * square)));
  }
  const std::span<float> bands =
      std::span(tower_.bands_).first(static_cast<std::size_t>(n * kSubsampledBands * channels));
  for (std::int64_t i = 0; i < n * kSubsampledBands; i += tower_.options_.max_rows) {
    const std::int64_t count =
        std::min<std::int64_t>(tower_.options_.max_rows, n * kSubsampledBands - i);
    const Tensor patches = tower_.work_.patches.top(count);
    const Tensor out = tower_.work_.bands.top(count);
    backend_.write(patches, squares.subspan(static_cast<std::size_t>(i * square),
                                            static_cast<std::size_t>(count * square)));
    const LinearTask task = {out, &tower_.conv1_};
    backend_.linear({&task, 1}, patches);
    backend_.read(bands.subspan(static_cast<std::size_t>(i * channels),
                                static_cast<std::size_t>(count * channels)),
                  out);
  }
  layer_norm_relu(bands, tower_.conv1_norm_, config_.rms_norm_eps);
  const Tensor merged = tower_.work_.merged.top(n);
  backend_.write(merged, bands);
  const LinearTask task = {rows(residual_, first, n), &tower_.input_proj_};
  backend_.linear({&task, 1}, merged);
}

// x = x + norm(Wdown silu(Wup norm(x))) * residual_weight, which the second norm's weight has in it
void SoundEncoding::half_feed_forward(const AudioFeedForward& weights, Tensor x) {
  const Tensor normed = tower_.work_.normed.top(x.rows);
  const Tensor branch = tower_.work_.branch.top(x.rows);
  const Tensor wide = tower_.work_.wide.top(x.rows).reshaped(x.rows, config_.ffn_dim);
  backend_.rms_norm(normed, x, &weights.norm, config_.rms_norm_eps);
  clipped_products(backend_, {{wide, &weights.up_proj}}, normed, tower_.work_.clipped);
  backend_.silu(wide);
  clipped_products(backend_, {{branch, &weights.down_proj}}, wide, tower_.work_.clipped);
  backend_.norm_add(x, branch, weights.post_norm, config_.rms_norm_eps, 1.0F);
}

// q = Wq a, k = Wk a, v = Wv a where a = norm(x), once x has its first half feed-forward
void SoundEncoding::project_queries_keys_values(std::int64_t first, std::int64_t n) {
  const Tensor x = rows(residual_, first, n);
  const Tensor normed = tower_.work_.normed.top(n);
  half_feed_forward(layer().ffn1, x);
  backend_.rms_norm(normed, x, &layer().attention_norm, config_.rms_norm_eps);
  clipped_products(backend_,
                   {{rows(query_, first, n), &layer().q_proj},
                    {rows(key_, first, n), &layer().k_proj},
                    {rows(value_, first, n), &layer().v_proj}},
                   normed, tower_.work_.clipped);
}

// x = x + norm(Wo attention(q, k, v)); then the convolution's input g = a * sigmoid(b) where
// [a, b] = Wstart norm(x), which takes the place of q
void SoundEncoding::attend_and_gate(std::int64_t first, std::int64_t n) {
  const float eps = config_.rms_norm_eps;
  const Tensor x = rows(residual_, first, n);
  const Tensor attended = tower_.work_.normed.top(n);
  const Tensor branch = tower_.work_.branch.top(n);
  const LocalAttention shape = {
      .n_heads = config_.n_heads,
      .head_dim = config_.head_dim(),
      .window = config_.window(),
      .key_scale = static_cast<float>(std::log(1.0 + std::numbers::e) / std::numbers::ln2),
      .cap = config_.logit_cap,
  };
  backend_.local_attention(attended, rows(query_, first, n), key_, value_, first,
                           layer().query_scale, layer().distances, shape);
  clipped_products(backend_, {{branch, &layer().o_proj}}, attended, tower_.work_.clipped);
  backend_.norm_add(x, branch, layer().post_attention_norm, eps, 1.0F);
  const Tensor normed = tower_.work_.normed.top(n);
  const Tensor halves = tower_.work_.wide.top(n).reshaped(n, 2 * std::int64_t{config_.hidden_dim});
  backend_.rms_norm(normed, x, &layer().conv_norm, eps);
  clipped_products(backend_, {{halves, &layer().conv_start}}, normed, tower_.work_.clipped);
  backend_.gated_linear_unit(rows(query_, first, n), halves);
}

// x = x + Wend silu(norm(conv(g))), the second half feed-forward, x = norm(x)
void SoundEncoding::convolve(std::int64_t first, std::int64_t n) {
  const float eps = config_.rms_norm_eps;
  const Tensor x = rows(residual_, first, n);
  const Tensor normed = tower_.work_.normed.top(n);
  const Tensor branch = tower_.work_.branch.top(n);
  backend_.causal_convolution(normed, query_, first, layer().taps);
  backend_.rms_norm(normed, normed, &layer().post_conv_norm, eps);
  backend_.silu(normed);
  clipped_products(backend_, {{branch, &layer().conv_end}}, normed, tower_.work_.clipped);
  backend_.add(x, branch);
  half_feed_forward(layer().ffn2, x);
  backend_.rms_norm(x, x, &layer().out_norm, eps);
}

// soft token = W norm(Wout x + bias)
void SoundEncoding::output_soft_tokens(std::int64_t first, std::int64_t n) {
  const Tensor encoded = tower_.work_.encoded.top(n);
  const LinearTask output = {encoded, &tower_.output_proj_};
  backend_.linear({&output, 1}, rows(residual_, first, n));
  const auto values = std::span(tower_.encoded_).first(static_cast<std::size_t>(n * encoded.cols));
  backend_.read(values, encoded);
  const std::vector<float>& bias = tower_.output_bias_;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += bias[i % bias.size()];
  backend_.write(encoded, values);
  project(first, encoded, config_.rms_norm_eps, tower_.projector_, tower_.work_.soft.top(n));
}

}  // namespace pleiad::gemma4
