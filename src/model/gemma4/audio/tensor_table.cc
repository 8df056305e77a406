#include "model/gemma4/audio/tensor_table.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "model/gemma4/vision/tensor_table.h"

namespace pleiad::gemma4 {
namespace {

using A = AudioConfig;

struct AudioRow {
  std::string_view name;
  std::string_view gguf;
  std::string_view hf;
  Shape (*shape)(const A&);
};

// clang-format off
Shape of_width(const A& c) { return {c.hidden_dim}; }
Shape of_square(const A& c) { return {c.hidden_dim, c.hidden_dim}; }

// Of a tower what follows its layers, of an embedder all.
constexpr AudioRow kAudioProjector =
    AudioRow{"projector", "mm.a.input_projection.weight", "embed_audio.embedding_projection.weight",
        [](const A& c) { return Shape{c.model_dim, c.output_dim}; }};

constexpr std::array kAudioTowerRows = {
    AudioRow{"conv0", "a.conv1d.0.weight", "audio_tower.subsample_conv_projection.layer0.conv.weight",
        [](const A& c) { return Shape{c.conv_channels[0], 1, 3, 3}; }},
    AudioRow{"conv0_norm", "a.conv1d.0.norm.weight", "audio_tower.subsample_conv_projection.layer0.norm.weight",
        [](const A& c) { return Shape{c.conv_channels[0]}; }},
    AudioRow{"conv1", "a.conv1d.1.weight", "audio_tower.subsample_conv_projection.layer1.conv.weight",
        [](const A& c) { return Shape{c.conv_channels[1], c.conv_channels[0], 3, 3}; }},
    AudioRow{"conv1_norm", "a.conv1d.1.norm.weight", "audio_tower.subsample_conv_projection.layer1.norm.weight",
        [](const A& c) { return Shape{c.conv_channels[1]}; }},
    AudioRow{"input_proj", "a.input_projection.weight", "audio_tower.subsample_conv_projection.input_proj_linear.weight",
        [](const A& c) { return Shape{c.hidden_dim, c.conv_channels[0] / 4 * c.conv_channels[1]}; }},
    AudioRow{"output_proj", "a.pre_encode.out.weight", "audio_tower.output_proj.weight",
        [](const A& c) { return Shape{c.output_dim, c.hidden_dim}; }},
    AudioRow{"output_bias", "a.pre_encode.out.bias", "audio_tower.output_proj.bias",
        [](const A& c) { return Shape{c.output_dim}; }},
};

constexpr std::array kAudioLayerRows = {
    AudioRow{"ffn1.norm", "ffn_norm.weight", "feed_forward1.pre_layer_norm.weight", of_width},
    AudioRow{"ffn1.post_norm", "ffn_post_norm.weight", "feed_forward1.post_layer_norm.weight", of_width},
    AudioRow{"attention.norm", "attn_pre_norm.weight", "norm_pre_attn.weight", of_width},
    AudioRow{"attention.post_norm", "attn_post_norm.weight", "norm_post_attn.weight", of_width},
    AudioRow{"attention.relative_k_proj", "attn_k_rel.weight", "self_attn.relative_k_proj.weight", of_square},
    AudioRow{"attention.per_dim_scale", "per_dim_scale.weight", "self_attn.per_dim_scale",
        [](const A& c) { return Shape{c.head_dim()}; }},
    // Converters swap the names of the two norms around a layer's convolution.
    AudioRow{"conv.norm", "conv_norm.weight", "lconv1d.pre_layer_norm.weight", of_width},
    AudioRow{"conv.post_norm", "norm_conv.weight", "lconv1d.conv_norm.weight", of_width},
    AudioRow{"conv.depthwise", "conv_dw.weight", "lconv1d.depthwise_conv1d.weight",
        [](const A& c) { return Shape{c.hidden_dim, 1, c.conv_kernel}; }},
    AudioRow{"ffn2.norm", "ffn_norm_1.weight", "feed_forward2.pre_layer_norm.weight", of_width},
    AudioRow{"ffn2.post_norm", "ffn_post_norm_1.weight", "feed_forward2.post_layer_norm.weight", of_width},
    AudioRow{"out_norm", "ln2.weight", "norm_out.weight", of_width},
};

// Without what follows: ".weight" in GGUF, ".linear.weight" in Hugging Face files, or the name of
// a clip bound. In the order of kAudioClippedLinears.
constexpr std::array kAudioLayerLinears = {
    AudioRow{"ffn1.up_proj", "ffn_up", "feed_forward1.ffw_layer_1",
        [](const A& c) { return Shape{c.ffn_dim, c.hidden_dim}; }},
    AudioRow{"ffn1.down_proj", "ffn_down", "feed_forward1.ffw_layer_2",
        [](const A& c) { return Shape{c.hidden_dim, c.ffn_dim}; }},
    AudioRow{"attention.q_proj", "attn_q", "self_attn.q_proj", of_square},
    AudioRow{"attention.k_proj", "attn_k", "self_attn.k_proj", of_square},
    AudioRow{"attention.v_proj", "attn_v", "self_attn.v_proj", of_square},
    AudioRow{"attention.o_proj", "attn_out", "self_attn.post", of_square},
    AudioRow{"conv.start", "conv_pw1", "lconv1d.linear_start",
        [](const A& c) { return Shape{2 * c.hidden_dim, c.hidden_dim}; }},
    AudioRow{"conv.end", "conv_pw2", "lconv1d.linear_end", of_square},
    AudioRow{"ffn2.up_proj", "ffn_up_1", "feed_forward2.ffw_layer_1",
        [](const A& c) { return Shape{c.ffn_dim, c.hidden_dim}; }},
    AudioRow{"ffn2.down_proj", "ffn_down_1", "feed_forward2.ffw_layer_2",
        [](const A& c) { return Shape{c.hidden_dim, c.ffn_dim}; }},
};
// clang-format on

EncoderTensorSpec audio_spec(std::string name, std::string gguf, std::string hf,
                             const Shape& shape) {
  return {{std::move(name), std::move(gguf), std::move(hf), shape}, shape, false};
}

EncoderTensorSpec of_audio_layer(int index, const AudioRow& row, std::string_view suffix,
                                 std::string_view gguf_suffix, std::string_view hf_suffix,
                                 const Shape& shape) {
  return audio_spec(fmt::format("audio.layers.{}.{}{}", index, row.name, suffix),
                    fmt::format("a.blk.{}.{}{}", index, row.gguf, gguf_suffix),
                    fmt::format("audio_tower.layers.{}.{}{}", index, row.hf, hf_suffix), shape);
}

void add_audio_layer(std::vector<EncoderTensorSpec>& table, const A& config, int index) {
  for (const AudioRow& row : kAudioLayerRows) {
    table.push_back(of_audio_layer(index, row, "", "", "", row.shape(config)));
    if (row.name == "conv.depthwise") {
      table.back().gguf_shape = {config.hidden_dim, config.conv_kernel};
    }
  }
  for (const AudioRow& row : kAudioLayerLinears) {
    table.push_back(of_audio_layer(index, row, "", ".weight", ".linear.weight", row.shape(config)));
    if (!config.clipped_linears) continue;
    for (const std::string_view bound : kClipBounds) {
      const std::string suffix = fmt::format(".{}", bound);
      table.push_back(of_audio_layer(index, row, suffix, suffix, suffix, {1}));
      table.back().optional = true;
    }
  }
}

}  // namespace

std::vector<EncoderTensorSpec> audio_tensor_table(const AudioConfig& config) {
  std::vector<EncoderTensorSpec> table;
  const auto add = [&](const AudioRow& row) {
    table.push_back(audio_spec(fmt::format("audio.{}", row.name), std::string(row.gguf),
                               std::string(row.hf), row.shape(config)));
  };
  add(kAudioProjector);
  if (config.is_embedder()) return table;
  for (const AudioRow& row : kAudioTowerRows) add(row);
  for (int index = 0; index < config.n_layers; ++index) add_audio_layer(table, config, index);
  return table;
}

}  // namespace pleiad::gemma4
