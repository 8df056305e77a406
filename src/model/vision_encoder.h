#pragma once

#include <cstdint>
#include <memory>

#include "base/picture_budgets.h"
#include "model/media_encoding.h"
#include "model/picture_input.h"

namespace pleiad {

struct VisionEncoderInfo {
  std::int64_t model_dim = 0;  // of the text model: columns of a soft token
  // Soft tokens of a picture where nobody says how many.
  int default_budget = kUsualPictureBudget;
  int patch_size = 16;  // pixels
  int pooling = 3;      // patches on a side of the square that a soft token stands for
  int max_patches_on_a_side = 0;
  std::uint64_t weight_bytes = 0;  // memory that the tower takes once it is loaded

  /// Soft tokens of a picture of this size, whose sides are multiples of patch_size * pooling.
  int soft_tokens(int width, int height) const {
    const int side = patch_size * pooling;
    return (width / side) * (height / side);
  }
};

/// A seam beside Model: pictures in, soft tokens out. The bits of an encoding depend on the
/// picture and the weights alone: not on how it is cut into calls of advance(), on the number
/// of threads, nor on what else is computed between two calls.
class VisionEncoder {
 public:
  virtual ~VisionEncoder() = default;

  virtual const VisionEncoderInfo& info() const = 0;

  /// Costs nearly nothing: what the encoding needs is laid out, and taken by the parts that write
  /// it first. The picture, the encoder and its backend must outlive the encoding. Throws Error
  /// where the picture is too long (max_patches_on_a_side) or has not the pixels that its sides
  /// say, NoMemoryError. Its sides are CHECKed (see PictureInput).
  virtual std::unique_ptr<MediaEncoding> begin(const PictureInput& picture) = 0;
  std::unique_ptr<MediaEncoding> begin(PictureInput&& picture) = delete;

  /// What an encoding takes at most for a picture of so many patches, in bytes.
  virtual std::uint64_t encoding_bytes(std::int64_t n_patches) const = 0;
};

}  // namespace pleiad
