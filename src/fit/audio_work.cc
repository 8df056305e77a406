#include "fit/audio_work.h"

#include "model/gemma4/audio/tensor_table.h"
#include "model/gemma4/projector_file.h"

namespace pleiad::fit {

using gemma4::EncoderTensorSpec;

std::optional<AudioWork> AudioWork::of(const gemma4::FamilyMember& member) {
  const auto config = gemma4::audio_config_of(member);
  if (!config) return std::nullopt;
  return AudioWork(*config);
}

AudioWork::AudioWork(const gemma4::AudioConfig& config) : config_(config) {
  for (const EncoderTensorSpec& spec : gemma4::audio_tensor_table(config_)) {
    const std::int64_t values = element_count(spec.shape);
    if (spec.name.ends_with(".relative_k_proj")) {  // distances are multiplied by it once
      add(spec, sizeof(float) * static_cast<std::uint64_t>(config_.window()) *
                    static_cast<std::uint64_t>(config_.hidden_dim));
      continue;
    }
    add(spec, stored_bytes(spec));
    if (gemma4::is_tower_matrix(spec)) weights_ += static_cast<double>(values);
  }
}

double AudioWork::matrix_operations(std::int64_t n_tokens) const {
  double weights = weights_;
  if (!config_.is_embedder()) {
    // Of a soft token two rows of the first convolution's map, and one of the second's.
    const double first = config_.conv_channels[0];
    weights += 9 * first * gemma4::kMelBands;
    weights += 9 * first * config_.conv_channels[1] * gemma4::kSubsampledBands;
  }
  return 2 * weights * static_cast<double>(n_tokens);
}

double AudioWork::attention_operations(std::int64_t n_tokens) const {
  if (config_.is_embedder()) return 0;
  // Scores, what distances add to them, and sums of values.
  return 6.0 * config_.hidden_dim * config_.window() * config_.n_layers *
         static_cast<double>(n_tokens);
}

std::optional<Rate> predict_sound_seconds(const AudioWork& work, const Machine& machine,
                                          std::int64_t n_tokens) {
  return predict_encoding_seconds(machine, work.matrix_operations(n_tokens),
                                  work.attention_operations(n_tokens));
}

}  // namespace pleiad::fit
