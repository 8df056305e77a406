#include "base/error.h"
#include "formats/bounded_json.h"
#include "model/gemma4/audio/config_load.h"
#include "model/gemma4/config_rules.h"
#include "model/gemma4/json_fields.h"

namespace pleiad::gemma4 {
namespace {

constexpr int kMaxChannels = 4'096;
constexpr int kMaxReach = 64;  // frames, of attention and of convolutions

void read_channels(const Fields& fields, AudioConfig& config, ProblemList& problems) {
  const BoundedJson* value = fields.find("subsampling_conv_channels");
  if (value == nullptr) return;
  const auto channels = [](const BoundedJson& item) {
    return item.is_number_integer() && item >= 1 && item <= kMaxChannels;
  };
  if (!value->is_array() || value->size() != 2 || !channels((*value)[0]) ||
      !channels((*value)[1])) {
    problems.add(
        "'audio_config.subsampling_conv_channels': expected two numbers from 1 to {}, found {}",
        kMaxChannels, shown(*value));
    return;
  }
  config.conv_channels[0] = (*value)[0].get<int>();
  config.conv_channels[1] = (*value)[1].get<int>();
}

/// Absent fields are as in read_audio().
AudioConfig read_audio_embedder(const Fields& fields, const Config& text) {
  const int frame = fields.integer("audio_embed_dim", 1, kMaxModelDim, 640);
  const double eps = fields.number("rms_norm_eps", 1e-12, 1.0, 1e-6);
  return audio_embedder(frame, text.model_dim, static_cast<float>(eps));
}

/// Where a field is absent its value is that of the reference's configuration class.
AudioConfig read_audio(const Fields& fields, const Config& text, ProblemList& problems) {
  AudioConfig config;
  config.hidden_dim = fields.integer("hidden_size", 1, kMaxModelDim, 1024);
  config.ffn_dim = 4 * config.hidden_dim;
  config.n_layers = fields.integer("num_hidden_layers", 1, kMaxLayers, 12);
  config.n_heads = fields.integer("num_attention_heads", 1, kMaxHeads, 8);
  read_channels(fields, config, problems);
  config.conv_kernel = fields.integer("conv_kernel_size", 1, kMaxReach, 5);
  config.chunk = fields.integer("attention_chunk_size", 1, kMaxReach, 12);
  config.context_left = fields.integer("attention_context_left", 2, kMaxReach, 13);
  if (fields.integer("attention_context_right", 0, kMaxReach, 0) != 0) {
    problems.add("'audio_config.attention_context_right': expected 0, found more");
  }
  config.residual_weight = static_cast<float>(fields.number("residual_weight", 0.0, 1e6, 0.5));
  config.logit_cap = static_cast<float>(fields.number("attention_logit_cap", 1e-6, 1e9, 50.0));
  config.output_dim = fields.integer("output_proj_dims", 1, kMaxModelDim, 1536);
  config.rms_norm_eps = static_cast<float>(fields.number("rms_norm_eps", 1e-12, 1.0, 1e-6));
  config.clipped_linears = fields.boolean("use_clipped_linears", true);
  config.model_dim = text.model_dim;
  const std::string activation = fields.text("hidden_act", "silu");
  if (activation != "silu") {
    problems.add("'audio_config.hidden_act': expected silu, found '{}'", printable(activation));
  }
  return config;
}

}  // namespace

SoundConfig sound_config_from_json(std::string_view json, const std::string& file,
                                   const Config& text) {
  const BoundedJson root = parse_bounded_json(json, file);
  if (!root.is_object()) throw LoadError("{}: expected a JSON object", file);
  ProblemList problems(file);
  const Fields outer(root, "", problems);
  SoundConfig sound;
  const BoundedJson* audio = outer.object("audio_config");
  problems.throw_if_any();
  if (audio == nullptr) return sound;
  const Fields fields(*audio, "audio_config.", problems);
  AudioConfig config = names_unified_class(root) ? read_audio_embedder(fields, text)
                                                 : read_audio(fields, text, problems);
  const auto token = [&](std::string_view field, int absent) {
    return outer.token(field, absent, text.vocab_size);
  };
  // Released files write the last as an index.
  const std::string_view end =
      outer.find("eoa_token_id") != nullptr ? "eoa_token_id" : "eoa_token_index";
  sound.tokens = {token("boa_token_id", 256'000), token("audio_token_id", 258'881),
                  token(end, 258'883)};
  problems.throw_if_any();
  check_audio_config(config, problems);
  problems.throw_if_any();
  sound.audio = config;
  return sound;
}

}  // namespace pleiad::gemma4
