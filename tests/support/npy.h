#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace pleiad::testing_support {

struct Matrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<float> values;

  const float* row(std::int64_t index) const { return values.data() + index * cols; }
};

/// A float32 .npy file with two dimensions; throws std::runtime_error otherwise.
Matrix read_npy(const std::filesystem::path& path);

}  // namespace pleiad::testing_support
