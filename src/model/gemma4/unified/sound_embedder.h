#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backend/backend.h"
#include "model/audio_encoder.h"
#include "model/gemma4/audio/config.h"
#include "model/gemma4/audio/tower.h"
#include "model/gemma4/encoder_loader.h"
#include "model/gemma4/encoder_source.h"
#include "model/model.h"

namespace pleiad::gemma4 {

/// What the 12B has in the place of an audio tower: each frame of samples becomes a soft token by
/// itself. What an encoding computes stands in sound_embedder.cc.
class SoundEmbedder final : public AudioEncoder {
 public:
  /// Uploads the matrix of the checkpoint's embedder, which it must have, to the backend (unless
  /// that is done on the way); both must outlive it. Throws LoadError, FileChangedError among them.
  SoundEmbedder(const Checkpoint& checkpoint, Backend& backend, const AudioOptions& options,
                const LoadProgress& progress = {});

  const AudioEncoderInfo& info() const override { return info_; }
  std::unique_ptr<MediaEncoding> begin(const SoundInput& sound) override;
  std::uint64_t encoding_bytes(std::int64_t n_samples) const override;

 private:
  class Encoding;

  /// Loads the matrix; false where it is there. Throws as the constructor does.
  bool load_next_part();
  void allocate_workspace();

  EncoderSource source_;
  AudioConfig config_;
  Backend& backend_;
  AudioOptions options_;
  AudioEncoderInfo info_;

  std::unique_ptr<EncoderLoader> loader_;  // null once the matrix is loaded
  Weight projector_;                       // [model_dim, frame]

  // Room for a chunk of rows, shared by encodings: a call of advance() leaves nothing in it.
  Tensor frames_;            // [max_rows, frame]
  Tensor soft_;              // [max_rows, model_dim]
  std::vector<float> host_;  // [max_rows, frame]
  std::unique_ptr<Buffer> memory_;
};

}  // namespace pleiad::gemma4
