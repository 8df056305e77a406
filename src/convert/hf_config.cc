#include "convert/hf_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "base/error.h"
#include "base/mapped_file.h"
#include "convert/hf_number.h"
#include "formats/gguf/reader.h"
#include "model/gemma4/config_load.h"

namespace pleiad::convert {
namespace {

using gemma4::AttentionKind;
using gemma4::Config;
using gemma4::LayerConfig;

/// Special tokens by their names in GGUF and in a config.json.
struct TokenIdKey {
  const char* key;
  const char* field;
};
constexpr TokenIdKey kTokenIdKeys[] = {
    {"tokenizer.ggml.bos_token_id", "bos_token_id"},
    {"tokenizer.ggml.eos_token_id", "eos_token_id"},
    {"tokenizer.ggml.padding_token_id", "pad_token_id"},
};

const LayerConfig* first_of(const Config& config, AttentionKind kind) {
  const auto found = std::ranges::find(config.layers, kind, &LayerConfig::attention);
  return found == config.layers.end() ? nullptr : &*found;
}

int shared_layers(const Config& config) {
  int count = 0;
  for (int i = 0; i < config.n_layers(); ++i) {
    if (!config.layers[static_cast<std::size_t>(i)].owns_kv(i)) ++count;
  }
  return count;
}

/// The share of a head that turns, from which readers find the number of pairs again.
double rotated_share(int n_pairs, int head_dim) {
  const double share = 2.0 * n_pairs / head_dim;
  const bool found_again = static_cast<int>(std::floor(share * head_dim / 2)) == n_pairs;
  return found_again ? share : std::nextafter(share, 2.0);
}

Json ropes(const Config& config) {
  Json ropes;
  if (const LayerConfig* full = first_of(config, AttentionKind::full)) {
    ropes["full_attention"] = {
        {"partial_rotary_factor", rotated_share(config.full_rope.n_rotated_pairs, full->head_dim)},
        {"rope_theta", config.full_rope.theta},
        {"rope_type", "proportional"}};
  }
  if (first_of(config, AttentionKind::sliding) != nullptr) {
    ropes["sliding_attention"] = {{"rope_theta", config.sliding_rope.theta},
                                  {"rope_type", "default"}};
  }
  return ropes;
}

void set_layers(const Config& config, Json& json) {
  const LayerConfig* full = first_of(config, AttentionKind::full);
  const LayerConfig* sliding = first_of(config, AttentionKind::sliding);
  const LayerConfig& common = sliding != nullptr ? *sliding : *full;
  if (full == nullptr) full = &common;
  json["head_dim"] = common.head_dim;
  json["global_head_dim"] = full->head_dim;
  json["num_key_value_heads"] = common.n_kv_heads;
  json["attention_k_eq_v"] = full->value_is_key;
  json["num_global_key_value_heads"] = full->value_is_key ? Json(full->n_kv_heads) : Json();
  const int n_shared = shared_layers(config);
  json["num_kv_shared_layers"] = n_shared;
  json["intermediate_size"] = config.layers.front().ffn_dim;
  json["use_double_wide_mlp"] =
      n_shared > 0 && config.layers.back().ffn_dim == 2 * config.layers.front().ffn_dim;
  json["num_hidden_layers"] = config.n_layers();
  json["layer_types"] = Json::array();
  for (const LayerConfig& layer : config.layers) {
    json["layer_types"].push_back(layer.attention == AttentionKind::full ? "full_attention"
                                                                         : "sliding_attention");
  }
}

void set_experts(const Config& config, Json& json) {
  json["enable_moe_block"] = config.experts.has_value();
  json["num_experts"] = config.experts ? Json(config.experts->n_experts) : Json();
  json["top_k_experts"] = config.experts ? Json(config.experts->n_experts_used) : Json();
  json["moe_intermediate_size"] = config.experts ? Json(config.experts->ffn_dim) : Json();
}

/// What differs from layer to layer, as newer files write it, where the fields of
/// released models cannot say it.
void set_layers_one_by_one(const Config& config, Json& json) {
  json.erase("global_head_dim");
  json.erase("num_global_key_value_heads");
  json["use_double_wide_mlp"] = false;
  Json& layers = json["per_layer_config"] = Json::object();
  for (int i = 0; i < config.n_layers(); ++i) {
    const LayerConfig& layer = config.layers[static_cast<std::size_t>(i)];
    layers[std::to_string(i)] = {{"head_dim", layer.head_dim},
                                 {"num_key_value_heads", layer.n_kv_heads},
                                 {"intermediate_size", layer.ffn_dim}};
  }
}

bool reads_as(const Json& json, Config expected) {
  Config found = gemma4::config_from_json(to_text(json), "config.json");
  found.name = expected.name;                                  // which the file does not hold
  found.blocks_on_all_layers = expected.blocks_on_all_layers;  // which its embedder says
  return found == expected;
}

void set_token_ids(const Checkpoint& source, Json& json) {
  if (source.gguf() == nullptr) return;
  for (const TokenIdKey& token : kTokenIdKeys) {
    const auto id = source.gguf()->metadata().find_integer(token.key);
    if (id) json[token.field] = *id;
  }
}

/// The class of the reference has no such parts, and no fields for them.
void drop_what_unified_has_not(Json& text) {
  text["model_type"] = "gemma4_unified_text";
  for (const char* field :
       {"hidden_size_per_layer_input", "vocab_size_per_layer_input", "enable_moe_block",
        "num_experts", "top_k_experts", "moe_intermediate_size"}) {
    text.erase(field);
  }
}

}  // namespace

Json make_text_config(const Checkpoint& source, const char* dtype) {
  const Config& config = source.config();
  Json json;
  json["architectures"] = {"Gemma4ForCausalLM"};
  json["model_type"] = "gemma4_text";
  json["dtype"] = dtype;
  json["vocab_size"] = config.vocab_size;
  json["hidden_size"] = config.model_dim;
  json["num_attention_heads"] = config.n_heads;
  set_layers(config, json);
  set_experts(config, json);
  json["rope_parameters"] = ropes(config);
  json["sliding_window"] = config.sliding_window;
  json["max_position_embeddings"] = config.context_length;
  json["rms_norm_eps"] = shortest(config.rms_norm_eps);
  json["final_logit_softcapping"] =
      config.final_logit_softcap > 0 ? Json(shortest(config.final_logit_softcap)) : Json();
  json["hidden_size_per_layer_input"] = config.per_layer_dim;
  json["vocab_size_per_layer_input"] =
      config.per_layer_dim > 0 ? config.per_layer_vocab_size : config.vocab_size;
  json["tie_word_embeddings"] = config.tied_head;
  json["hidden_activation"] = "gelu_pytorch_tanh";
  json["attention_bias"] = false;
  json["attention_dropout"] = 0.0;
  json["initializer_range"] = 0.02;
  json["use_bidirectional_attention"] = config.bidirectional_blocks ? Json("vision") : Json();
  json["use_cache"] = true;
  set_token_ids(source, json);
  if (!reads_as(json, config)) set_layers_one_by_one(config, json);
  if (!reads_as(json, config)) {
    throw Error("{}: its layers are of a kind that a config.json cannot tell",
                source.path().string());
  }
  return json;
}

Json read_config_of(const Checkpoint& source) {
  const std::filesystem::path path = source.path() / "config.json";
  const MappedFile file(path);
  const auto* text = reinterpret_cast<const char*>(file.bytes().data());
  return parse_json({text, file.bytes().size()}, path.string());
}

void name_encoder_tokens(const Checkpoint& source, const FolderEncoders& encoders, Json& json) {
  const auto name_token = [&](const char* field, std::optional<std::int32_t> id) {
    if (id && (!json.contains(field) || json[field].is_null())) json[field] = *id;
  };
  if (encoders.vision != nullptr) {
    const gemma4::MediaTokens& tokens = source.media_tokens();
    name_token("boi_token_id", tokens.image_begin);
    name_token("image_token_id", tokens.image);
    name_token("eoi_token_id", tokens.image_end);
    name_token("video_token_id", tokens.video);
  }
  if (encoders.audio != nullptr) {
    const gemma4::SoundTokens& tokens = source.sound_tokens();
    name_token("boa_token_id", tokens.audio_begin);
    name_token("audio_token_id", tokens.audio);
    const bool is_named = json.contains("eoa_token_id") && !json["eoa_token_id"].is_null();
    if (!is_named) name_token("eoa_token_index", tokens.audio_end);
  }
}

Json with_encoders(const Checkpoint& source, Json text, const FolderEncoders& encoders) {
  const bool is_unified = encoders.is_unified();
  Json json;
  json["architectures"] = Json::array(
      {is_unified ? "Gemma4UnifiedForConditionalGeneration" : "Gemma4ForConditionalGeneration"});
  json["model_type"] = is_unified ? "gemma4_unified" : "gemma4";
  // What is said of the whole model.
  for (const char* field :
       {"dtype", "torch_dtype", "tie_word_embeddings", "initializer_range", "bos_token_id",
        "eos_token_id", "pad_token_id", "quantization_config", "transformers_version"}) {
    if (text.contains(field)) json[field] = text[field];
  }
  for (const char* field : {"architectures", "quantization_config", "transformers_version"}) {
    text.erase(field);
  }
  if (is_unified) drop_what_unified_has_not(text);
  json["text_config"] = std::move(text);
  json["vision_config"] = nullptr;
  json["audio_config"] = nullptr;
  name_encoder_tokens(source, encoders, json);
  if (encoders.vision != nullptr) {
    json["vision_config"] = make_vision_config(*encoders.vision);
    json["vision_soft_tokens_per_image"] = encoders.vision->default_budget;
  }
  if (encoders.audio != nullptr) json["audio_config"] = make_audio_config(*encoders.audio);
  return json;
}

Json make_generation_config(const Checkpoint& source) {
  const GenerationDefaults& defaults = source.generation();
  Json json = Json::object();
  set_token_ids(source, json);
  if (!defaults.stop_tokens.empty()) json["eos_token_id"] = defaults.stop_tokens;
  if (!defaults.suppressed_tokens.empty()) json["suppress_tokens"] = defaults.suppressed_tokens;
  const auto set = [&](const char* field, const std::optional<double>& value) {
    if (value) json[field] = shortest(static_cast<float>(*value));
  };
  set("temperature", defaults.temperature);
  set("top_p", defaults.top_p);
  set("min_p", defaults.min_p);
  set("repetition_penalty", defaults.repeat_penalty);
  if (defaults.top_k) json["top_k"] = *defaults.top_k;
  json["do_sample"] = defaults.temperature.value_or(1.0) > 0;
  return json;
}

}  // namespace pleiad::convert
