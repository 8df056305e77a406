#pragma once

#include <cstdint>
#include <optional>

#include "base/picture_budgets.h"

namespace pleiad::gemma4 {

/// The order of the columns of the patch embedding (768 of a tower), hence of a patch's values, and
/// of an embedder's table of places.
enum class PatchOrder : std::uint8_t {
  pixels,    // row, column, channel: Hugging Face
  channels,  // channel, row, column: GGUF, whose tensor is a convolution's
};

/// What makes soft tokens of a picture.
enum class VisionKind : std::uint8_t {
  tower,     // layers that see all patches, then pooling
  embedder,  // 12B: each patch alone through norms and a matrix; a patch is a soft token
};

/// Everything that decides the shapes and the arithmetic of a vision tower, or of an embedder,
/// which has no layers, heads nor feed-forward (0), patches of 48 pixels and no pooling (1).
struct VisionConfig {
  VisionKind kind = VisionKind::tower;
  int hidden_dim = 0;
  int ffn_dim = 0;
  int n_layers = 0;
  int n_heads = 0;  // of queries, keys and values alike
  int head_dim = 0;
  int patch_size = 16;                       // pixels
  int pooling = 3;                           // patches on a side of what becomes a soft token
  int position_table_size = 0;               // positions on each axis
  int model_dim = 0;                         // of the text model
  int default_budget = kUsualPictureBudget;  // soft tokens, where nobody says how many
  double rope_theta = 100.0;
  float rms_norm_eps = 1e-6F;
  bool clipped_linears = false;  // inputs and outputs of the layers' matrices have bounds
  bool standardize = false;      // soft tokens are shifted and scaled before the projector
  PatchOrder patch_order = PatchOrder::pixels;

  bool is_embedder() const { return kind == VisionKind::embedder; }
  int patch_values() const { return patch_size * patch_size * 3; }
  bool operator==(const VisionConfig&) const = default;
};

/// The tokens that stand around and for the soft tokens of a picture, or a frame, in a prompt.
struct MediaTokens {
  std::optional<std::int32_t> image_begin;  // <|image>
  std::optional<std::int32_t> image;        // <|image|>
  std::optional<std::int32_t> image_end;    // <image|>
  std::optional<std::int32_t> video;        // <|video|>: in the place of <|image|> for a frame

  bool operator==(const MediaTokens&) const = default;
};

}  // namespace pleiad::gemma4
