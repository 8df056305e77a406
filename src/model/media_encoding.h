#pragma once

#include <cstdint>
#include <vector>

namespace pleiad {

/// A picture, or a clip of sound, on its way through a tower.
class MediaEncoding {
 public:
  virtual ~MediaEncoding() = default;

  /// Computes a part: about `rows` rows (patches, or frames of sound) through one half of a layer;
  /// or loads one of an encoder that is not there yet. True once done. Throws FileChangedError as
  /// Model::forward does, LoadError.
  virtual bool advance(std::int64_t rows) = 0;

  /// From 0 to 1, by the operations done.
  virtual double progress() const = 0;

  /// Once done, and once: [soft tokens, model_dim].
  virtual std::vector<float> take() = 0;
};

}  // namespace pleiad
