#include "convert/gguf_keys.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "formats/gguf/ggml_types.h"
#include "formats/gguf/reader.h"

namespace pleiad::convert {
namespace {

using gemma4::AttentionKind;
using gemma4::Config;
using gemma4::LayerConfig;

constexpr std::uint32_t kQuantizationVersion = 2;  // of ggml's block layouts

/// Keys below "gemma4.".
class ModelKeys {
 public:
  explicit ModelKeys(gguf::Writer& writer) : writer_(writer) {}

  void u32(std::string_view key, int value) {
    writer_.set_u32(full(key), static_cast<std::uint32_t>(value));
  }
  void f32(std::string_view key, double value) {
    writer_.set_f32(full(key), static_cast<float>(value));
  }
  void booleans(std::string_view key, const std::vector<bool>& values) {
    writer_.set_booleans(full(key), values);
  }
  /// One number where all layers have the same, else one a layer.
  void per_layer(std::string_view key, const std::vector<std::int32_t>& values) {
    const bool same = std::ranges::all_of(values, [&](auto value) { return value == values[0]; });
    if (same) {
      u32(key, values[0]);
    } else {
      writer_.set_i32s(full(key), values);
    }
  }

 private:
  static std::string full(std::string_view key) { return "gemma4." + std::string(key); }
  gguf::Writer& writer_;
};

/// Of the first layer of a kind; a model that has none says so with the other's.
int head_dim_of(const Config& config, AttentionKind kind) {
  const auto found = std::ranges::find(config.layers, kind, &LayerConfig::attention);
  return found == config.layers.end() ? config.layers[0].head_dim : found->head_dim;
}

int shared_kv_layers(const Config& config) {
  int count = 0;
  for (int i = 0; i < config.n_layers(); ++i) {
    if (!config.layers[static_cast<std::size_t>(i)].owns_kv(i)) ++count;
  }
  return count;
}

void set_attention_keys(ModelKeys& keys, const Config& config) {
  std::vector<std::int32_t> kv_heads;
  std::vector<bool> sliding;
  for (const LayerConfig& layer : config.layers) {
    kv_heads.push_back(layer.n_kv_heads);
    sliding.push_back(layer.attention == AttentionKind::sliding);
  }
  const int full = head_dim_of(config, AttentionKind::full);
  const int narrow = head_dim_of(config, AttentionKind::sliding);
  keys.u32("attention.head_count", config.n_heads);
  keys.per_layer("attention.head_count_kv", kv_heads);
  keys.f32("attention.layer_norm_rms_epsilon", config.rms_norm_eps);
  keys.u32("attention.key_length", full);
  keys.u32("attention.value_length", full);
  keys.u32("attention.key_length_swa", narrow);
  keys.u32("attention.value_length_swa", narrow);
  keys.u32("attention.sliding_window", config.sliding_window);
  keys.booleans("attention.sliding_window_pattern", sliding);
  keys.u32("attention.shared_kv_layers", shared_kv_layers(config));
  keys.f32("rope.freq_base", config.full_rope.theta);
  keys.f32("rope.freq_base_swa", config.sliding_rope.theta);
  keys.u32("rope.dimension_count", full);
  keys.u32("rope.dimension_count_swa", narrow);
}

void set_config_keys(gguf::Writer& writer, const Config& config) {
  ModelKeys keys(writer);
  std::vector<std::int32_t> ffn_dims;
  for (const LayerConfig& layer : config.layers) ffn_dims.push_back(layer.ffn_dim);
  keys.u32("block_count", config.n_layers());
  keys.u32("context_length", config.context_length);
  keys.u32("embedding_length", config.model_dim);
  keys.per_layer("feed_forward_length", ffn_dims);
  keys.u32("embedding_length_per_layer_input", config.per_layer_dim);
  set_attention_keys(keys, config);
  if (config.final_logit_softcap > 0) {
    keys.f32("final_logit_softcapping", config.final_logit_softcap);
  }
  if (!config.experts) return;
  keys.u32("expert_count", config.experts->n_experts);
  keys.u32("expert_used_count", config.experts->n_experts_used);
  keys.u32("expert_feed_forward_length", config.experts->ffn_dim);
}

void set_sampling_keys(gguf::Writer& writer, const GenerationDefaults& defaults) {
  const auto set = [&](std::string_view key, const std::optional<double>& value) {
    if (value) writer.set_f32(key, static_cast<float>(*value));
  };
  set("general.sampling.temp", defaults.temperature);
  set("general.sampling.top_p", defaults.top_p);
  set("general.sampling.min_p", defaults.min_p);
  set("general.sampling.penalty_repeat", defaults.repeat_penalty);
  if (defaults.top_k) writer.set_i32("general.sampling.top_k", *defaults.top_k);
  if (!defaults.suppressed_tokens.empty()) {
    writer.set_i32s("tokenizer.ggml.suppress_tokens", defaults.suppressed_tokens);
  }
}

bool starts_with_any(std::string_view key, std::initializer_list<std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view p) { return key.starts_with(p); });
}

/// What a file says of itself rather than of the model.
bool is_of_the_file(std::string_view key) {
  return key == "general.architecture" || key == "general.file_type" ||
         key == "general.quantization_version" || key == "general.alignment" ||
         starts_with_any(key, {"split.", "quantize.imatrix."});
}

}  // namespace

std::uint32_t gguf_file_type(FileType type, DType main) {
  switch (type) {
    case FileType::bf16:
      return gguf::file_type_of(DType::bf16);
    case FileType::f16:
      return gguf::file_type_of(DType::f16);
    case FileType::q8_0:
      return gguf::file_type_of(DType::q8_0);
    case FileType::q6_k:
      return gguf::file_type_of(DType::q6_k);
    case FileType::q5_k:
      return gguf::file_type_of(DType::q5_k);
    case FileType::q4_k_m:
      return gguf::file_type_of(DType::q4_k);
    case FileType::q4_k_s:
      return 14;
    case FileType::q4_0:
      return gguf::file_type_of(DType::q4_0);
    case FileType::nvfp4:
      return gguf::file_type_of(DType::nvfp4);
    case FileType::as_is:
      return gguf::file_type_of(main);
    case FileType::nvfp4a16:
    case FileType::fp8:
    case FileType::fp8_dynamic:
      break;
  }
  CHECK(false, "{} is no GGUF", name(type));
  return 0;
}

void set_model_keys(gguf::Writer& writer, const Checkpoint& source, std::uint32_t file_type) {
  writer.set_string("general.architecture", "gemma4");
  writer.set_string("general.type", "model");
  writer.set_string("general.name", source.config().name);
  set_sampling_keys(writer, source.generation());
  set_config_keys(writer, source.config());
  writer.set_u32("general.file_type", file_type);
  writer.set_u32("general.quantization_version", kQuantizationVersion);
}

void carry_keys(gguf::Writer& writer, const Checkpoint& source, std::uint32_t file_type) {
  const UnusedTensors& unused = source.unused();
  writer.set_string("general.architecture", "gemma4");
  for (const auto& [key, value] : source.gguf()->metadata().values()) {
    if (is_of_the_file(key)) continue;
    if (unused.vision > 0 && starts_with_any(key, {"gemma4.vision.", "clip.vision."})) continue;
    if (unused.audio > 0 && starts_with_any(key, {"gemma4.audio.", "clip.audio."})) continue;
    writer.set_value(key, value);
  }
  writer.set_u32("general.file_type", file_type);
  writer.set_u32("general.quantization_version", kQuantizationVersion);
}

}  // namespace pleiad::convert
