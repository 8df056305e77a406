#pragma once

#include <cstdint>
#include <optional>

#include "fit/machine.h"
#include "fit/predict.h"
#include "model/gemma4/audio/config.h"
#include "model/gemma4/family.h"

namespace pleiad::fit {

/// The audio tower of a member that hears, or its embedder of sounds, with matrices in bf16 as it
/// is released: its bytes, and the work of a clip. Everything follows from the shapes.
class AudioWork {
 public:
  /// Nothing where the member does not hear.
  static std::optional<AudioWork> of(const gemma4::FamilyMember& member);

  std::int64_t n_parameters() const { return n_parameters_; }
  /// Of its tensors in a projector file (mmproj-*.gguf): what is no matrix is f32.
  std::uint64_t file_bytes() const { return file_bytes_; }
  /// Of a folder's tensors, all bf16.
  std::uint64_t folder_bytes() const {
    constexpr std::uint64_t kBf16Bytes = 2;
    return kBf16Bytes * static_cast<std::uint64_t>(n_parameters_);
  }
  /// Once it is loaded, which it is when a sound first comes: all but the matrices that distances
  /// are multiplied by once.
  std::uint64_t resident_bytes() const { return resident_bytes_; }

  /// Soft tokens of the longest clip.
  std::int64_t most_tokens() const { return gemma4::sound_tokens(config_, config_.max_samples); }
  /// Of products with its matrices and of its convolutions; a multiply-add is two.
  double matrix_operations(std::int64_t n_tokens) const;
  /// Of attention: each soft token sees a few before it.
  double attention_operations(std::int64_t n_tokens) const;

 private:
  explicit AudioWork(const gemma4::AudioConfig& config);

  gemma4::AudioConfig config_;
  std::int64_t n_parameters_ = 0;
  std::uint64_t file_bytes_ = 0;
  std::uint64_t resident_bytes_ = 0;
  double weights_ = 0;  // of matrices that every soft token meets
};

/// Seconds, and between which they are expected, for a clip of so many soft tokens; as
/// predict_picture_seconds().
std::optional<Rate> predict_sound_seconds(const AudioWork& work, const Machine& machine,
                                          std::int64_t n_tokens);

}  // namespace pleiad::fit
