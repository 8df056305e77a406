#pragma once

#include <cstdint>
#include <memory>

#include "model/media_encoding.h"
#include "model/sound_input.h"

namespace pleiad {

struct AudioEncoderInfo {
  std::int64_t model_dim = 0;          // of the text model: columns of a soft token
  std::int64_t min_samples = 161;      // fewer make no soft token
  std::int64_t max_samples = 480'000;  // of one clip
  std::uint64_t weight_bytes = 0;      // memory that the tower takes once it is loaded
};

/// A seam beside Model: a clip of sound in, soft tokens out. The bits of an encoding depend on the
/// samples and the weights alone, as those of a VisionEncoder.
class AudioEncoder {
 public:
  virtual ~AudioEncoder() = default;

  virtual const AudioEncoderInfo& info() const = 0;

  /// As VisionEncoder::begin(), but that the samples are copied. Throws Error where the clip is
  /// shorter or longer than info() says, NoMemoryError.
  virtual std::unique_ptr<MediaEncoding> begin(const SoundInput& sound) = 0;

  /// What an encoding takes at most for a clip of so many samples, in bytes.
  virtual std::uint64_t encoding_bytes(std::int64_t n_samples) const = 0;
};

}  // namespace pleiad
