#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backend/backend.h"
#include "model/gemma4/clipped_linear.h"
#include "model/gemma4/encoder_loader.h"
#include "model/gemma4/encoder_source.h"
#include "model/gemma4/vision/config.h"
#include "model/model.h"
#include "model/vision_encoder.h"

namespace pleiad::gemma4 {

struct VisionOptions {
  /// Rows of one operation, at most as many as the backend was made for.
  int max_rows = 512;
  /// bf16: keys and values may be rounded to that where it is quicker.
  KvType kv_type = KvType::bf16;
  /// The tensors are loaded by the first encoding, a layer in each call of its advance(), so that
  /// nobody waits for all of them.
  bool load_on_the_way = false;
};

/// What the checkpoint's encoder of pictures says of itself, but for its memory. Throws LoadError
/// where it cannot take the pictures that are made for one.
VisionEncoderInfo vision_encoder_info(const Checkpoint& checkpoint);

struct VisionLayer {
  Weight attention_norm;       // [hidden_dim]
  ClippedLinear q_proj;        // [n_heads * head_dim, hidden_dim]
  ClippedLinear k_proj;        // same
  ClippedLinear v_proj;        // same
  Weight q_norm;               // [head_dim]
  Weight k_norm;               // [head_dim]
  ClippedLinear o_proj;        // [hidden_dim, n_heads * head_dim]
  Weight post_attention_norm;  // [hidden_dim]
  Weight ffn_norm;             // [hidden_dim]
  ClippedLinear gate_proj;     // [ffn_dim, hidden_dim]
  ClippedLinear up_proj;       // [ffn_dim, hidden_dim]
  ClippedLinear down_proj;     // [hidden_dim, ffn_dim]
  Weight post_ffn_norm;        // [hidden_dim]
};

/// The vision tower of a Gemma 4 model and its projector. What an encoding computes stands in
/// encoding.cc, in the order of the model's description.
class VisionTower final : public VisionEncoder {
 public:
  /// Uploads the tensors of the checkpoint's tower, which it must have, to the backend (unless
  /// that is done on the way); both must outlive the tower. Throws LoadError, FileChangedError
  /// among them.
  VisionTower(const Checkpoint& checkpoint, Backend& backend, const VisionOptions& options,
              const LoadProgress& progress = {});

  const VisionEncoderInfo& info() const override { return info_; }
  std::unique_ptr<MediaEncoding> begin(const PictureInput& picture) override;
  std::uint64_t encoding_bytes(std::int64_t n_patches) const override;

 private:
  friend class TowerEncoding;

  /// Room for a chunk of rows, shared by encodings: a call of advance() leaves nothing in it.
  struct Workspace {
    Tensor patches;   // [max_rows, patch_values]
    Tensor normed;    // [max_rows, hidden_dim]
    Tensor branch;    // [max_rows, hidden_dim]
    Tensor key;       // [max_rows, n_heads * head_dim]
    Tensor value;     // same
    Tensor attended;  // same
    Tensor clipped;   // [max_rows, the widest input of a matrix]
    Tensor gate;      // [max_rows, ffn_dim]
    Tensor up;        // [max_rows, ffn_dim]
    Tensor soft;      // [max_rows, model_dim]
    std::unique_ptr<Buffer> memory;
  };

  /// Loads a part of what is missing; false where nothing is. Throws as the constructor does.
  bool load_next_part();
  void load_ends();
  void load_layer(int index);
  void allocate_workspace();
  EncoderKvLayout kv_layout(std::int64_t n_patches) const;

  EncoderSource source_;
  VisionConfig config_;
  Backend& backend_;
  VisionOptions options_;
  VisionEncoderInfo info_;

  std::unique_ptr<EncoderLoader> loader_;  // null once all is loaded
  Weight patch_embedding_;                 // [hidden_dim, patch_values]
  std::vector<VisionLayer> layers_;
  std::vector<float> std_bias_;     // [hidden_dim], or empty
  std::vector<float> std_scale_;    // [hidden_dim], or empty
  Weight projector_;                // [model_dim, hidden_dim]
  std::vector<float> frequencies_;  // [head_dim / 4], of both axes
  std::vector<float> host_;         // [max_rows, the widest row that goes to or from the host]
  Workspace work_;
};

}  // namespace pleiad::gemma4
