#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "base/mapped_file.h"

namespace pleiad::npy {

/// A float32 matrix in a NumPy .npy file, mapped into memory.
class File {
 public:
  /// Throws LoadError that names the file: not a .npy file, values of another type or
  /// order, another number of dimensions than two, too few or too many bytes.
  static File open(const std::filesystem::path& path);
  /// Reads a file that lies in memory; `bytes` must outlive the object.
  static File from_bytes(std::span<const std::byte> bytes, const std::string& name);

  const std::string& name() const { return name_; }
  std::int64_t rows() const { return rows_; }
  std::int64_t cols() const { return cols_; }

  /// Copies one row to `out`, [cols]. Throws FileChangedError, see MappedFile.
  void read_row(std::int64_t row, std::span<float> out) const;

 private:
  File() = default;

  std::string name_;
  std::int64_t rows_ = 0;
  std::int64_t cols_ = 0;
  std::span<const std::byte> values_;
  std::optional<MappedFile> mapped_;
};

}  // namespace pleiad::npy
