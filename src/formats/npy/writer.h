#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "base/output_file.h"

namespace pleiad::npy {

/// Writes a float32 matrix [rows, cols] as a NumPy .npy file, in any portions.
/// The file is whole or not there (see OutputFile). Throws Error.
class Writer {
 public:
  Writer(const std::filesystem::path& path, std::int64_t rows, std::int64_t cols);

  /// The next values, row by row.
  void write(std::span<const float> values);

  /// CHECKs that all values were written.
  void finish();

 private:
  OutputFile file_;
  std::int64_t missing_;
};

}  // namespace pleiad::npy
