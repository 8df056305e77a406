#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "model/gemma4/clipped_linear.h"
#include "model/gemma4/encoder_source.h"
#include "model/model.h"

namespace pleiad::gemma4 {

/// Takes an encoder's tensors to the backend one by one, and gives the file's pages back that
/// nobody reads any more. Borrows the source and the backend.
class EncoderLoader {
 public:
  EncoderLoader(const EncoderSource& source, Backend& backend, LoadProgress progress);

  Weight vector(std::string_view name) { return upload(name, WeightUse::vector); }
  Weight matrix(std::string_view name) { return upload(name, WeightUse::matrix); }
  /// With the bounds that it has.
  ClippedLinear clipped(const std::string& name);

  /// Stay on the host. find_values: empty where there is no such tensor.
  std::vector<float> values(std::string_view name);
  std::vector<float> find_values(std::string_view name);

 protected:
  /// Counts a tensor as loaded.
  void count(const HostTensor& tensor);

  const EncoderSource& source_;
  Backend& backend_;

 private:
  ClipBounds bounds(const std::string& side);
  Weight upload(std::string_view name, WeightUse use);

  LoadProgress progress_;
  std::uint64_t done_ = 0;
};

}  // namespace pleiad::gemma4
