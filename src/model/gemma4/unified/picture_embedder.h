#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backend/backend.h"
#include "model/gemma4/encoder_loader.h"
#include "model/gemma4/encoder_source.h"
#include "model/gemma4/unified/layer_norm.h"
#include "model/gemma4/vision/config.h"
#include "model/gemma4/vision/tower.h"
#include "model/media_encoding.h"
#include "model/model.h"
#include "model/vision_encoder.h"

namespace pleiad::gemma4 {

/// What the 12B has in the place of a vision tower: each patch of 48x48 pixels becomes a soft token
/// by itself. What an encoding computes stands in picture_embedder.cc.
class PictureEmbedder final : public VisionEncoder {
 public:
  /// Uploads the tensors of the checkpoint's embedder, which it must have, to the backend (unless
  /// that is done on the way); both must outlive it. Throws LoadError, FileChangedError among them.
  PictureEmbedder(const Checkpoint& checkpoint, Backend& backend, const VisionOptions& options,
                  const LoadProgress& progress = {});

  const VisionEncoderInfo& info() const override { return info_; }
  std::unique_ptr<MediaEncoding> begin(const PictureInput& picture) override;
  std::uint64_t encoding_bytes(std::int64_t n_patches) const override;

 private:
  class Encoding;

  /// Loads a part of what is missing; false where nothing is. Throws as the constructor does.
  bool load_next_part();
  void allocate_workspace();

  EncoderSource source_;
  VisionConfig config_;
  Backend& backend_;
  VisionOptions options_;
  VisionEncoderInfo info_;

  std::unique_ptr<EncoderLoader> loader_;  // null once all is loaded
  LayerNorm patch_norm_;                   // [patch_values]
  Weight patch_embedding_;                 // [hidden_dim, patch_values]
  std::vector<float> patch_bias_;          // [hidden_dim]
  LayerNorm embedding_norm_;               // [hidden_dim]
  LayerNorm position_norm_;                // [hidden_dim]
  Weight projector_;                       // [model_dim, hidden_dim]

  // Room for a chunk of rows, shared by encodings: a call of advance() leaves nothing in it.
  Tensor patches_;             // [max_rows, patch_values]
  Tensor embedded_;            // [max_rows, hidden_dim]
  Tensor soft_;                // [max_rows, model_dim]
  std::vector<float> host_;    // [max_rows, the wider of patch_values and hidden_dim]
  std::vector<float> places_;  // [max_rows, hidden_dim]
  std::unique_ptr<Buffer> memory_;
};

}  // namespace pleiad::gemma4
