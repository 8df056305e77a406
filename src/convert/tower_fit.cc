#include "convert/tower_fit.h"

#include <string_view>

#include "base/error.h"

namespace pleiad::convert {
namespace {

using gemma4::AudioConfig;
using gemma4::VisionConfig;

void check_vision_fits_projector(const VisionConfig& config) {
  if (config.is_embedder()) return;
  if (std::int64_t{config.n_heads} * config.head_dim != config.hidden_dim) {
    throw Error(
        "the vision tower has {} heads of {} dimensions at a width of {}, which a projector file "
        "cannot tell; --vision-type none leaves it out",
        config.n_heads, config.head_dim, config.hidden_dim);
  }
  if (const double usual = VisionConfig{}.rope_theta; config.rope_theta != usual) {
    throw Error(
        "the vision tower has a rope_theta of {}, which a projector file cannot tell; "
        "--vision-type none leaves it out",
        config.rope_theta);
  }
}

void check_audio_fits_projector(const AudioConfig& config) {
  const AudioConfig usual;
  const auto check = [](std::string_view field, auto found, auto expected) {
    if (found == expected) return;
    throw Error(
        "the audio tower has a {} of {}, which a projector file cannot tell (it stands for {}); "
        "--audio-type none leaves it out",
        field, found, expected);
  };
  check("rms_norm_eps", config.rms_norm_eps, usual.rms_norm_eps);
  if (config.is_embedder()) return;
  check("residual_weight", config.residual_weight, usual.residual_weight);
  check("attention_logit_cap", config.logit_cap, usual.logit_cap);
  check("attention_chunk_size", config.chunk, usual.chunk);
  check("attention_context_left", config.context_left, usual.context_left);
}

void check_audio_fits_folder(const AudioConfig& config) {
  if (config.is_embedder() || config.ffn_dim == 4 * config.hidden_dim) return;
  throw Error(
      "the audio tower has a feed-forward of {} at a width of {}, which a config.json cannot tell "
      "(it stands for {}); --audio-type none leaves it out",
      config.ffn_dim, config.hidden_dim, 4 * config.hidden_dim);
}

}  // namespace

void check_tower_fits(const Checkpoint& source, gemma4::EncoderKind kind, Container container) {
  if (kind == gemma4::EncoderKind::vision) {
    if (container == Container::gguf) check_vision_fits_projector(*source.vision());
  } else if (container == Container::gguf) {
    check_audio_fits_projector(*source.audio());
  } else {
    check_audio_fits_folder(*source.audio());
  }
}

}  // namespace pleiad::convert
