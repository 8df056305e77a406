#include "model/gemma4/vision/encoder.h"

#include "model/gemma4/unified/picture_embedder.h"

namespace pleiad::gemma4 {

std::unique_ptr<VisionEncoder> make_vision_encoder(const Checkpoint& checkpoint, Backend& backend,
                                                   const VisionOptions& options,
                                                   const LoadProgress& progress) {
  if (checkpoint.vision()->is_embedder()) {
    return std::make_unique<PictureEmbedder>(checkpoint, backend, options, progress);
  }
  return std::make_unique<VisionTower>(checkpoint, backend, options, progress);
}

}  // namespace pleiad::gemma4
