#pragma once

#include <cstdint>
#include <optional>

#include "fit/encoder_work.h"
#include "fit/machine.h"
#include "fit/predict.h"
#include "model/gemma4/audio/config.h"
#include "model/gemma4/family.h"

namespace pleiad::fit {

/// The audio tower of a member that hears, or its embedder of sounds, with matrices in bf16 as it
/// is released: its bytes, and the work of a clip. Everything follows from the shapes.
class AudioWork : public EncoderSize {
 public:
  /// Nothing where the member does not hear.
  static std::optional<AudioWork> of(const gemma4::FamilyMember& member);

  /// Soft tokens of the longest clip.
  std::int64_t most_tokens() const { return gemma4::sound_tokens(config_, config_.max_samples); }
  /// Of products with its matrices and of its convolutions; a multiply-add is two.
  double matrix_operations(std::int64_t n_tokens) const;
  /// Of attention: each soft token sees a few before it.
  double attention_operations(std::int64_t n_tokens) const;

 private:
  explicit AudioWork(const gemma4::AudioConfig& config);

  gemma4::AudioConfig config_;
  double weights_ = 0;  // of matrices that every soft token meets
};

/// Seconds, and between which they are expected, for a clip of so many soft tokens; as
/// predict_picture_seconds().
std::optional<Rate> predict_sound_seconds(const AudioWork& work, const Machine& machine,
                                          std::int64_t n_tokens);

}  // namespace pleiad::fit
