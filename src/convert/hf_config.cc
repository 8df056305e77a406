#include "convert/hf_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "convert/tower_plan.h"
#include "formats/gguf/reader.h"
#include "model/gemma4/config_load.h"
#include "model/gemma4/projector_file.h"
#include "model/sound_input.h"

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

/// 1e-06 and not 9.99999997e-07.
double shortest(float value) { return std::stod(fmt::format("{}", value)); }

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

}  // namespace

namespace {

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

/// The class of the reference has no such parts, and no fields for them.
void drop_what_unified_has_not(Json& text) {
  text["model_type"] = "gemma4_unified_text";
  for (const char* field :
       {"hidden_size_per_layer_input", "vocab_size_per_layer_input", "enable_moe_block",
        "num_experts", "top_k_experts", "moe_intermediate_size"}) {
    text.erase(field);
  }
}

Json make_embedder_config(const gemma4::VisionConfig& config) {
  const gemma4::PatchSides sides = gemma4::written_patch_sides(config);
  return {{"model_type", "gemma4_unified_vision"},
          {"mm_embed_dim", config.hidden_dim},
          {"output_proj_dims", config.hidden_dim},
          {"mm_posemb_size", config.position_table_size},
          {"patch_size", sides.patch_size},
          {"pooling_kernel_size", sides.pooling},
          {"rms_norm_eps", shortest(config.rms_norm_eps)},
          {"initializer_range", 0.02}};
}

}  // namespace

Json make_hf_config(const Checkpoint& source, const char* dtype, bool with_tower) {
  Json text = make_text_config(source, dtype);
  if (!with_tower) return text;
  const bool is_unified = source.vision()->is_embedder();
  Json json;
  json["architectures"] = Json::array(
      {is_unified ? "Gemma4UnifiedForConditionalGeneration" : "Gemma4ForConditionalGeneration"});
  json["model_type"] = is_unified ? "gemma4_unified" : "gemma4";
  if (is_unified) drop_what_unified_has_not(text);
  json["dtype"] = dtype;
  json["tie_word_embeddings"] = source.config().tied_head;
  json["initializer_range"] = 0.02;
  set_token_ids(source, json);
  const gemma4::MediaTokens& tokens = source.media_tokens();
  const auto set_token = [&](const char* field, std::optional<std::int32_t> id) {
    if (id) json[field] = *id;
  };
  set_token("boi_token_id", tokens.image_begin);
  set_token("image_token_id", tokens.image);
  set_token("eoi_token_id", tokens.image_end);
  set_token("video_token_id", tokens.video);
  text.erase("architectures");
  json["text_config"] = std::move(text);
  json["vision_config"] = make_vision_config(*source.vision());
  json["audio_config"] = nullptr;
  if (has_sound_embedder(source)) {
    const gemma4::SoundTokens& sound = source.sound_tokens();
    set_token("boa_token_id", sound.audio_begin);
    set_token("audio_token_id", sound.audio);
    set_token("eoa_token_index", sound.audio_end);
    json["audio_config"] = {{"model_type", "gemma4_unified_audio"},
                            {"audio_embed_dim", source.audio()->output_dim},
                            {"rms_norm_eps", shortest(source.audio()->rms_norm_eps)},
                            {"initializer_range", 0.02}};
  }
  json["vision_soft_tokens_per_image"] = source.vision()->default_budget;
  return json;
}

Json make_vision_config(const gemma4::VisionConfig& config) {
  if (config.is_embedder()) return make_embedder_config(config);
  Json json = {{"model_type", "gemma4_vision"},
               {"hidden_size", config.hidden_dim},
               {"intermediate_size", config.ffn_dim},
               {"num_hidden_layers", config.n_layers},
               {"num_attention_heads", config.n_heads},
               {"num_key_value_heads", config.n_heads},
               {"head_dim", config.head_dim},
               {"hidden_activation", "gelu_pytorch_tanh"},
               {"rms_norm_eps", shortest(config.rms_norm_eps)},
               {"max_position_embeddings", 131'072},
               {"attention_bias", false},
               {"attention_dropout", 0.0},
               {"pooling_kernel_size", config.pooling},
               {"patch_size", config.patch_size},
               {"position_embedding_size", config.position_table_size},
               {"use_clipped_linears", config.clipped_linears},
               {"standardize", config.standardize},
               {"initializer_range", 0.02}};
  // Versions of the reference differ in the name of its kind; all have 100 where nothing is said.
  constexpr double kUsualTheta = 100.0;
  if (config.rope_theta != kUsualTheta) {
    json["rope_parameters"] = {{"rope_theta", config.rope_theta}, {"rope_type", "axial"}};
  }
  return json;
}

Json make_processor_config(const gemma4::VisionConfig& config,
                           const gemma4::AudioConfig* embedder) {
  const gemma4::PatchSides sides = gemma4::written_patch_sides(config);
  const std::string family = config.is_embedder() ? "Gemma4Unified" : "Gemma4";
  Json image = {{"image_processor_type", family + "ImageProcessor"},
                {"do_convert_rgb", true},
                {"do_normalize", false},
                {"do_rescale", true},
                {"do_resize", true},
                {"image_mean", {0.0, 0.0, 0.0}},
                {"image_std", {1.0, 1.0, 1.0}},
                {"max_soft_tokens", config.default_budget},
                {"patch_size", sides.patch_size},
                {"pooling_kernel_size", sides.pooling},
                {"resample", 3},  // bicubic
                {"rescale_factor", 1.0 / 255}};
  Json json = {{"processor_class", family + "Processor"},
               {"image_seq_length", config.default_budget},
               {"image_processor", std::move(image)}};
  if (embedder == nullptr) return json;
  json["audio_seq_length"] = gemma4::kMostSoundTokens;
  json["audio_ms_per_token"] = 1000.0 * embedder->output_dim / kSoundRate;
  json["feature_extractor"] = {{"feature_extractor_type", "Gemma4UnifiedAudioFeatureExtractor"},
                               {"feature_size", embedder->output_dim},
                               {"audio_samples_per_token", embedder->output_dim},
                               {"sampling_rate", kSoundRate},
                               {"padding_side", "right"},
                               {"padding_value", 0.0},
                               {"return_attention_mask", true}};
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
