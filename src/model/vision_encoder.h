#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "model/picture_input.h"

namespace pleiad {

struct VisionEncoderInfo {
  std::int64_t model_dim = 0;  // of the text model: columns of a soft token
  int default_budget = 280;    // soft tokens of a picture where nobody says how many
  int patch_size = 16;         // pixels
  int pooling = 3;             // patches on a side of the square that a soft token stands for
  int max_patches_on_a_side = 0;
  std::uint64_t weight_bytes = 0;  // memory that the tower takes once it is loaded

  /// Soft tokens of a picture of this size, whose sides are multiples of patch_size * pooling.
  int soft_tokens(int width, int height) const {
    const int side = patch_size * pooling;
    return (width / side) * (height / side);
  }
};

/// A picture on its way through a tower.
class PictureEncoding {
 public:
  virtual ~PictureEncoding() = default;

  /// Computes a part: about `rows` patches through one half of a layer; or loads one of an encoder
  /// that is not there yet. True once done. Throws FileChangedError as Model::forward does,
  /// LoadError.
  virtual bool advance(std::int64_t rows) = 0;

  /// From 0 to 1, by the operations done.
  virtual double progress() const = 0;

  /// Once done, and once: [soft tokens, model_dim].
  virtual std::vector<float> take() = 0;
};

/// A seam beside Model: pictures in, soft tokens out. The bits of an encoding depend on the
/// picture and the weights alone: not on how it is cut into calls of advance(), on the number
/// of threads, nor on what else is computed between two calls.
class VisionEncoder {
 public:
  virtual ~VisionEncoder() = default;

  virtual const VisionEncoderInfo& info() const = 0;

  /// Takes all memory that the encoding needs; the encoder and its backend must outlive it.
  /// The picture's sides are CHECKed (see PictureInput and max_patches_on_a_side).
  virtual std::unique_ptr<PictureEncoding> begin(const PictureInput& picture) = 0;

  /// What begin() takes at most for a picture of so many patches, in bytes.
  virtual std::uint64_t encoding_bytes(std::int64_t n_patches) const = 0;
};

}  // namespace pleiad
