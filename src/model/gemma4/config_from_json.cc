#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/text_format.h"
#include "formats/bounded_json.h"
#include "model/gemma4/config_load.h"
#include "model/gemma4/config_rules.h"
#include "model/gemma4/json_fields.h"

namespace pleiad::gemma4 {
namespace {

/// Gemma 4 12B is an architecture of its own to the reference: another media part, the same layers.
enum class Variant : std::uint8_t { usual, unified };

std::optional<Variant> variant_of(std::string_view name, std::string_view usual,
                                  std::string_view usual_text, std::string_view unified,
                                  std::string_view unified_text) {
  if (name == usual || name == usual_text) return Variant::usual;
  if (name == unified || name == unified_text) return Variant::unified;
  return std::nullopt;
}

/// Throws unless the file is a Gemma 4 text model.
Variant check_architecture(const BoundedJson& root, const std::string& file) {
  std::optional<Variant> variant;
  std::string model_type;
  if (const auto found = root.find("model_type"); found != root.end() && found->is_string()) {
    model_type = found->get<std::string>();
  }
  if (const auto found = root.find("architectures");
      found != root.end() && found->is_array() && !found->empty() && (*found)[0].is_string()) {
    const auto& architecture = (*found)[0].get_ref<const std::string&>();
    variant = variant_of(architecture, "Gemma4ForConditionalGeneration", "Gemma4ForCausalLM",
                         "Gemma4UnifiedForConditionalGeneration", "Gemma4UnifiedForCausalLM");
    if (!variant) refuse_architecture(architecture, file);
  } else if (model_type.empty()) {
    throw LoadError(
        "{}: has neither 'architectures' nor 'model_type'; not the configuration of "
        "a model",
        file);
  }
  if (!model_type.empty()) {
    const auto by_type =
        variant_of(model_type, "gemma4", "gemma4_text", "gemma4_unified", "gemma4_unified_text");
    if (!by_type || by_type != variant.value_or(*by_type)) refuse_architecture(model_type, file);
    variant = by_type;
  }
  return *variant;
}

/// Which attention each layer has, by default five sliding layers before each
/// full one.
void read_layer_types(const Fields& text, Config& config, ProblemList& problems) {
  const int n_layers = config.n_layers();
  for (int index = 0; index < n_layers; ++index) {
    config.layers[static_cast<std::size_t>(index)].attention =
        (index + 1) % 6 == 0 ? AttentionKind::full : AttentionKind::sliding;
  }
  if (const BoundedJson* types = text.find("layer_types"); types != nullptr) {
    if (!types->is_array() || types->size() != config.layers.size()) {
      problems.add("'layer_types': expected an array of {} (num_hidden_layers), found {}", n_layers,
                   types->is_array() ? fmt::format("{}", types->size()) : shown(*types));
      return;
    }
    for (std::size_t index = 0; index < types->size(); ++index) {
      const BoundedJson& type = (*types)[index];
      if (type == "sliding_attention") {
        config.layers[index].attention = AttentionKind::sliding;
      } else if (type == "full_attention") {
        config.layers[index].attention = AttentionKind::full;
      } else {
        problems.add("'layer_types[{}]': expected sliding_attention or full_attention, found {}",
                     index, shown(type));
      }
    }
  }
  // The reference forces this, whatever the file says.
  config.layers.back().attention = AttentionKind::full;
}

/// What differs from layer to layer, as newer files write it.
void read_per_layer_config(const BoundedJson& overrides, const Fields& text, Config& config,
                           ProblemList& problems) {
  for (const auto& [key, value] : overrides.items()) {
    std::size_t index = config.layers.size();
    if (!key.empty() && key.size() <= 4 && key.find_first_not_of("0123456789") == key.npos) {
      index = std::stoul(key);
    }
    if (index >= config.layers.size() || !value.is_object()) {
      problems.add("'per_layer_config.{}': expected an object under the number of a layer",
                   printable(key));
      continue;
    }
    LayerConfig& layer = config.layers[index];
    const Fields fields(value, text.path("per_layer_config") + key + ".", problems);
    layer.head_dim = fields.integer("head_dim", 2, kMaxHeadDim, layer.head_dim);
    layer.n_kv_heads = fields.integer("num_key_value_heads", 1, kMaxHeads, layer.n_kv_heads);
    layer.ffn_dim = fields.integer("intermediate_size", 1, kMaxFfnDim, layer.ffn_dim);
    for (const auto& [field, ignored] : value.items()) {
      if (field != "head_dim" && field != "num_key_value_heads" && field != "intermediate_size") {
        problems.add("'per_layer_config.{}.{}': a layer cannot differ in this", key,
                     printable(field));
      }
    }
  }
}

void read_layers(const Fields& text, Config& config, ProblemList& problems) {
  LayerConfig common;
  common.head_dim = text.integer("head_dim", 2, kMaxHeadDim);
  common.n_kv_heads = text.integer("num_key_value_heads", 1, kMaxHeads);
  common.ffn_dim = text.integer("intermediate_size", 1, kMaxFfnDim);
  config.layers.assign(static_cast<std::size_t>(text.integer("num_hidden_layers", 1, kMaxLayers)),
                       common);
  read_layer_types(text, config, problems);

  const bool value_is_key = text.boolean("attention_k_eq_v", false);
  const int n_shared = text.integer("num_kv_shared_layers", 0, kMaxLayers, 0);
  const bool wide_when_shared = text.boolean("use_double_wide_mlp", false);
  const int full_head_dim = text.integer("global_head_dim", 2, kMaxHeadDim, 512);
  const int full_kv_heads =
      text.integer("num_global_key_value_heads", 1, kMaxHeads, common.n_kv_heads);
  const BoundedJson* overrides = text.object("per_layer_config");
  for (std::size_t index = 0; index < config.layers.size(); ++index) {
    LayerConfig& layer = config.layers[index];
    if (layer.attention == AttentionKind::full) {
      layer.value_is_key = value_is_key;
      if (overrides == nullptr) {
        layer.head_dim = full_head_dim;
        if (value_is_key) layer.n_kv_heads = full_kv_heads;
      }
    }
    const auto from_end = static_cast<int>(config.layers.size() - index);
    if (wide_when_shared && from_end <= n_shared) layer.ffn_dim *= 2;
  }
  if (overrides != nullptr) read_per_layer_config(*overrides, text, config, problems);
  share_kv(config, n_shared, problems);
}

/// Rope of one attention kind whose heads have `head_dim` dimensions.
RopeConfig read_rope(const BoundedJson* all, std::string_view kind, RopeConfig absent,
                     double partial, int head_dim, const Fields& text, ProblemList& problems) {
  RopeConfig rope = absent;
  std::string type = kind == "full_attention" ? "proportional" : "default";
  if (all != nullptr) {
    const Fields kinds(*all, text.path("rope_parameters"), problems);
    const BoundedJson* found = kinds.object(kind);
    if (found == nullptr) {
      problems.add("'rope_parameters.{}' is missing", kind);
    } else {
      const Fields fields(*found, kinds.path(kind), problems);
      rope.theta = fields.number("rope_theta", 1.0, 1e12);
      type = fields.text("rope_type", "default");
      partial = fields.number("partial_rotary_factor", 0.0, 1.0, 1.0);
      if (fields.number("factor", 0.0, 1e6, 1.0) != 1.0) {
        fields.report("factor", "1 (no scaling)", (*found)["factor"]);
      }
    }
  }
  if (type == "default" && partial == 1.0) {
    rope.n_rotated_pairs = head_dim / 2;
  } else if (type == "proportional") {
    rope.n_rotated_pairs = static_cast<int>(std::floor(partial * head_dim / 2));
  } else if (type == "default") {
    problems.add(
        "'rope_parameters.{}.partial_rotary_factor': expected 1 for rope_type 'default', "
        "found {}",
        kind, partial);
  } else {
    problems.add("'rope_parameters.{}.rope_type': expected default or proportional, found '{}'",
                 kind, printable(type));
  }
  return rope;
}

void read_ropes(const Fields& text, Config& config, ProblemList& problems) {
  const BoundedJson* all = text.object("rope_parameters");
  int head_dim[2] = {0, 0};  // by kind
  for (const LayerConfig& layer : config.layers) {
    head_dim[static_cast<std::size_t>(layer.attention)] = layer.head_dim;
  }
  if (head_dim[0] != 0) {
    config.sliding_rope =
        read_rope(all, "sliding_attention", {10'000.0, 0}, 1.0, head_dim[0], text, problems);
  }
  if (head_dim[1] != 0) {
    config.full_rope =
        read_rope(all, "full_attention", {1'000'000.0, 0}, 0.25, head_dim[1], text, problems);
  }
}

void read_experts(const Fields& text, Config& config) {
  if (!text.boolean("enable_moe_block", false)) return;
  ExpertsConfig& experts = config.experts.emplace();
  experts.n_experts = text.integer("num_experts", 1, kMaxExperts);
  experts.n_experts_used = text.integer("top_k_experts", 1, kMaxExperts);
  experts.ffn_dim = text.integer("moe_intermediate_size", 1, kMaxFfnDim);
}

/// What the unified class has no parts for.
void refuse_foreign_parts(const Fields& text, const Config& config) {
  constexpr std::string_view kPerLayer = "hidden_size_per_layer_input";
  constexpr std::string_view kExperts = "enable_moe_block";
  if (config.per_layer_dim != 0) {
    text.report(kPerLayer, "0 in gemma4_unified", *text.find(kPerLayer));
  }
  if (config.experts) text.report(kExperts, "false in gemma4_unified", *text.find(kExperts));
}

/// Variants of the architecture; those that no released model uses are refused.
void read_variants(const Fields& text, Variant variant, Config& config, ProblemList& problems) {
  const std::string activation = text.text("hidden_activation", "gelu_pytorch_tanh");
  if (activation != "gelu_pytorch_tanh") {
    problems.add("'hidden_activation': expected gelu_pytorch_tanh, found '{}'",
                 printable(activation));
  }
  if (text.boolean("attention_bias", false)) {
    problems.add("'attention_bias': expected false, found true");
  }
  // Where the field is absent: as in the class of the reference. Null is none.
  const bool blocks_by_default =
      variant == Variant::unified && !text.contains("use_bidirectional_attention");
  const std::string both_ways =
      text.text("use_bidirectional_attention", blocks_by_default ? "vision" : "");
  if (!both_ways.empty() && both_ways != "vision") {
    problems.add("'use_bidirectional_attention': expected null or vision, found '{}'",
                 printable(both_ways));
  }
  config.bidirectional_blocks = both_ways == "vision";
}

}  // namespace

Config config_from_json(std::string_view json, const std::string& file) {
  const BoundedJson root = parse_bounded_json(json, file);
  if (!root.is_object()) throw LoadError("{}: expected a JSON object", file);
  const Variant variant = check_architecture(root, file);
  const bool is_unified = variant == Variant::unified;

  ProblemList problems(file);
  const Fields outer(root, "", problems);
  const BoundedJson* nested = outer.object("text_config");
  const Fields text(nested != nullptr ? *nested : root, nested != nullptr ? "text_config." : "",
                    problems);
  Config config;
  config.vocab_size = text.integer("vocab_size", 1, kMaxVocab);
  config.model_dim = text.integer("hidden_size", 1, kMaxModelDim);
  config.n_heads = text.integer("num_attention_heads", 1, kMaxHeads);
  config.sliding_window = text.integer("sliding_window", 1, kMaxContext, is_unified ? 1024 : 512);
  config.context_length =
      text.integer("max_position_embeddings", 1, kMaxContext, is_unified ? 262'144 : 131'072);
  config.rms_norm_eps = static_cast<float>(text.number("rms_norm_eps", 1e-12, 1.0, 1e-6));
  config.final_logit_softcap =
      static_cast<float>(text.number("final_logit_softcapping", 0.0, 1e6, 0.0));
  // The reference's default is 256; null means none. The unified class has no such embeddings.
  const bool no_per_layer = is_unified || text.contains("hidden_size_per_layer_input");
  config.per_layer_dim =
      text.integer("hidden_size_per_layer_input", 0, kMaxModelDim, no_per_layer ? 0 : 256);
  config.per_layer_vocab_size =
      config.per_layer_dim == 0 ? 0
                                : text.integer("vocab_size_per_layer_input", 1, kMaxVocab, 262'144);
  config.tied_head =
      text.boolean("tie_word_embeddings", outer.boolean("tie_word_embeddings", true));
  read_layers(text, config, problems);
  read_ropes(text, config, problems);
  read_experts(text, config);
  read_variants(text, variant, config, problems);
  if (is_unified) refuse_foreign_parts(text, config);
  problems.throw_if_any();
  check_config(config, problems);
  problems.throw_if_any();
  config.name = name_from_shape(config);
  return config;
}

}  // namespace pleiad::gemma4
