#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/error.h"
#include "base/mapped_file.h"
#include "model/gemma4/audio/config_load.h"
#include "model/gemma4/audio/softplus.h"
#include "model/gemma4/audio/tower.h"
#include "model/gemma4/encoder_loader.h"
#include "model/gemma4/tensor_room.h"
#include "tensor/decode.h"

namespace pleiad::gemma4 {
namespace {

/// What a key so many rows earlier is known by, [n, dim]: sines of distance / timescale, then
/// cosines, from 1 to 10,000 rows; rounded where the reference rounds.
std::vector<float> distance_embeddings(int n, int dim) {
  const int half = dim / 2;
  const auto step = static_cast<float>(std::log(10'000.0) / std::max(half - 1, 1));
  std::vector<float> embeddings;
  for (int distance = 0; distance < n; ++distance) {
    const auto angle = [&](int i) {
      return static_cast<float>(distance) * std::exp(static_cast<float>(i) * -step);
    };
    for (int i = 0; i < half; ++i) embeddings.push_back(std::sin(angle(i)));
    for (int i = 0; i < half; ++i) embeddings.push_back(std::cos(angle(i)));
  }
  return embeddings;
}

}  // namespace

/// Makes of the tower's tensors what encodings compute with.
class AudioTower::Loader : public EncoderLoader {
 public:
  Loader(const AudioTower& tower, const LoadProgress& progress)
      : EncoderLoader(tower.source_, tower.backend_, progress), config_(tower.config_) {}

  /// Values that are made here; the backend keeps a copy.
  Weight vector_of(const std::vector<float>& values) {
    const HostTensor tensor{
        "", DType::f32, {static_cast<std::int64_t>(values.size())}, bytes_of(values), {}};
    return backend_.upload(tensor, WeightUse::vector);
  }

  /// Those must outlive the weight.
  Weight matrix_of(const std::vector<float>& values, std::int64_t cols) {
    const HostTensor tensor{"",
                            DType::f32,
                            {static_cast<std::int64_t>(values.size()) / cols, cols},
                            bytes_of(values),
                            {}};
    return backend_.upload(tensor, WeightUse::matrix);
  }

  AudioFeedForward feed_forward(const std::string& prefix) {
    AudioFeedForward weights;
    weights.norm = vector(prefix + ".norm");
    weights.up_proj = clipped(prefix + ".up_proj");
    weights.down_proj = clipped(prefix + ".down_proj");
    std::vector<float> norm = values(prefix + ".post_norm");
    for (float& value : norm) value *= config_.residual_weight;
    weights.post_norm = vector_of(norm);
    return weights;
  }

  /// softplus(scale) / sqrt(head_dim) / ln 2
  Weight query_scale(const std::string& name) {
    std::vector<float> scale = values(name);
    const auto factor = static_cast<float>(
        1.0 / std::sqrt(static_cast<double>(config_.head_dim())) / std::numbers::ln2);
    for (float& value : scale) {
      value = factor * (config_.softplus_applied ? value : softplus(value));
    }
    return vector_of(scale);
  }

  /// [window, hidden_dim]: the embeddings of distances times a matrix.
  Weight distances(const std::string& name) {
    const HostTensor& matrix = source_.get(name);
    const auto dim = static_cast<std::size_t>(config_.hidden_dim);
    const auto window = static_cast<std::size_t>(config_.window());
    const std::vector<float> embeddings = distance_embeddings(config_.window(), config_.hidden_dim);
    std::vector<float> products(window * dim);
    std::vector<float> row(dim);
    for (std::size_t i = 0; i < dim; ++i) {
      decode_row(matrix, static_cast<std::int64_t>(i), row.data());
      for (std::size_t distance = 0; distance < window; ++distance) {
        const float* embedding = embeddings.data() + distance * dim;
        double sum = 0.0;
        for (std::size_t j = 0; j < dim; ++j) sum += static_cast<double>(row[j]) * embedding[j];
        products[distance * dim + i] = static_cast<float>(sum);
      }
    }
    count(matrix);
    return vector_of(products);
  }

  /// [n_taps, hidden_dim], of the row itself first; the file has them by column, the last first.
  Weight taps(const std::string& name) {
    const std::vector<float> stored = values(name);
    const auto n = static_cast<std::size_t>(config_.conv_kernel);
    const auto dim = static_cast<std::size_t>(config_.hidden_dim);
    std::vector<float> taps(stored.size());
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t i = 0; i < dim; ++i) taps[k * dim + i] = stored[i * n + n - 1 - k];
    }
    return vector_of(taps);
  }

 private:
  static std::span<const std::byte> bytes_of(const std::vector<float>& values) {
    return std::as_bytes(std::span(values));
  }

  const AudioConfig& config_;
};

AudioTower::AudioTower(const Checkpoint& checkpoint, Backend& backend, const AudioOptions& options,
                       const LoadProgress& progress)
    : source_(checkpoint, EncoderKind::audio),
      config_(*checkpoint.audio()),
      backend_(backend),
      options_(options) {
  info_.model_dim = config_.model_dim;
  info_.min_samples = config_.min_samples;
  info_.max_samples = config_.max_samples;
  if (const std::string problem = audio_tower_problem(config_); !problem.empty()) {
    throw LoadError("{} {}", checkpoint.config().name, problem);
  }
  loader_ = std::make_unique<Loader>(*this, progress);
  while (!options.load_on_the_way && load_next_part()) {
  }
  allocate_workspace();
  info_.weight_bytes = source_.tensor_bytes() + work_.memory->size() +
                       (map_.size() + squares_.size() + bands_.size()) * sizeof(float);
}

AudioTower::~AudioTower() = default;

bool AudioTower::load_next_part() {
  if (!loader_) return false;
  read_unchanged(source_, [&] {
    if (!projector_) {
      load_ends();
    } else {
      load_layer(static_cast<int>(layers_.size()));
    }
  });
  if (std::ssize(layers_) == config_.n_layers) loader_.reset();
  return true;
}

void AudioTower::load_ends() {
  Loader& loader = *loader_;
  conv0_ = FirstConvolution(loader.values("audio.conv0"), loader.values("audio.conv0_norm"),
                            config_.rms_norm_eps);
  conv1_values_ = ordered_as_squares(loader.values("audio.conv1"), config_.conv_channels[0]);
  conv1_ = loader.matrix_of(conv1_values_, 9 * std::int64_t{config_.conv_channels[0]});
  conv1_norm_ = loader.values("audio.conv1_norm");
  input_proj_ = loader.matrix("audio.input_proj");
  output_proj_ = loader.matrix("audio.output_proj");
  output_bias_ = loader.values("audio.output_bias");
  projector_ = loader.matrix("audio.projector");
}

void AudioTower::load_layer(int index) {
  Loader& loader = *loader_;
  const std::string prefix = fmt::format("audio.layers.{}.", index);
  AudioLayer layer;
  layer.ffn1 = loader.feed_forward(prefix + "ffn1");
  layer.attention_norm = loader.vector(prefix + "attention.norm");
  layer.q_proj = loader.clipped(prefix + "attention.q_proj");
  layer.k_proj = loader.clipped(prefix + "attention.k_proj");
  layer.v_proj = loader.clipped(prefix + "attention.v_proj");
  layer.query_scale = loader.query_scale(prefix + "attention.per_dim_scale");
  layer.distances = loader.distances(prefix + "attention.relative_k_proj");
  layer.o_proj = loader.clipped(prefix + "attention.o_proj");
  layer.post_attention_norm = loader.vector(prefix + "attention.post_norm");
  layer.conv_norm = loader.vector(prefix + "conv.norm");
  layer.conv_start = loader.clipped(prefix + "conv.start");
  layer.taps = loader.taps(prefix + "conv.depthwise");
  layer.post_conv_norm = loader.vector(prefix + "conv.post_norm");
  layer.conv_end = loader.clipped(prefix + "conv.end");
  layer.ffn2 = loader.feed_forward(prefix + "ffn2");
  layer.out_norm = loader.vector(prefix + "out_norm");
  layers_.push_back(std::move(layer));
}

void AudioTower::allocate_workspace() {
  const std::int64_t rows = options_.max_rows;
  const std::int64_t square = 9 * std::int64_t{config_.conv_channels[0]};
  const std::int64_t channels = config_.conv_channels[1];
  const std::int64_t wide =
      std::max<std::int64_t>(config_.ffn_dim, 2 * std::int64_t{config_.hidden_dim});
  const std::int64_t clipped =
      config_.clipped_linears ? std::max<std::int64_t>(config_.ffn_dim, config_.hidden_dim) : 0;
  const std::vector<TensorPart> parts = {
      {&work_.patches, rows, square},
      {&work_.bands, rows, channels},
      {&work_.merged, rows, kSubsampledBands * channels},
      {&work_.normed, rows, config_.hidden_dim},
      {&work_.branch, rows, config_.hidden_dim},
      {&work_.wide, rows, wide},
      {&work_.clipped, rows, clipped},
      {&work_.encoded, rows, config_.output_dim},
      {&work_.soft, rows, config_.model_dim},
  };
  work_.memory = allocate_tensors(backend_, parts);
  // Soft tokens whose maps are made at once, see SoundEncoding::subsample.
  const std::int64_t at_once = std::max<std::int64_t>(rows / kSubsampledBands, 1);
  const std::int64_t map_row = kMelBands / 2 * std::int64_t{config_.conv_channels[0]};
  map_.resize(static_cast<std::size_t>((2 * at_once + 1) * map_row));
  squares_.resize(static_cast<std::size_t>(at_once * kSubsampledBands * square));
  bands_.resize(static_cast<std::size_t>(at_once * kSubsampledBands * channels));
  encoded_.resize(static_cast<std::size_t>(rows * config_.output_dim));
}

}  // namespace pleiad::gemma4
