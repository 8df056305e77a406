#include "model/gemma4/audio/encoder.h"

#include "model/gemma4/unified/sound_embedder.h"

namespace pleiad::gemma4 {

std::unique_ptr<AudioEncoder> make_audio_encoder(const Checkpoint& checkpoint, Backend& backend,
                                                 const AudioOptions& options,
                                                 const LoadProgress& progress) {
  if (checkpoint.audio()->is_embedder()) {
    return std::make_unique<SoundEmbedder>(checkpoint, backend, options, progress);
  }
  return std::make_unique<AudioTower>(checkpoint, backend, options, progress);
}

}  // namespace pleiad::gemma4
