#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>

namespace pleiad::npy {

/// Writes a float32 matrix [rows, cols] as a NumPy .npy file, row by row. The
/// rows go to a temporary file beside `path` that takes its name in finish();
/// before that nothing is at `path`, and an unfinished file is removed.
class Writer {
 public:
  /// Throws Error that names the path.
  Writer(std::filesystem::path path, std::int64_t rows, std::int64_t cols);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// The next values, in any portions.
  void write(std::span<const float> values);

  /// CHECKs that all values were written; throws Error when the disk is full.
  void finish();

 private:
  [[noreturn]] void fail(int error_number);

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  std::FILE* file_ = nullptr;
  std::int64_t missing_;
};

}  // namespace pleiad::npy
