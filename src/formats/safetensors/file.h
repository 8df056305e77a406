#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "tensor/dtype.h"
#include "tensor/host_tensor.h"

namespace pleiad::safetensors {

/// A tensor as the header lists it.
struct TensorInfo {
  std::string name;
  std::string type;            // as in the header: "BF16", "U8"
  std::optional<DType> dtype;  // empty: a type that we cannot decode by itself
  Shape shape;
  std::span<const std::byte> data;
};

/// One safetensors file, mapped into memory and checked: the header is bounded
/// JSON without duplicates, every tensor lies inside the file and is as large as
/// its shape says, and no two overlap.
class File {
 public:
  /// Throws LoadError with all that is wrong.
  static File open(const std::filesystem::path& path);

  /// Reads a file that lies in memory; `bytes` must outlive the object.
  static File from_bytes(std::span<const std::byte> bytes, const std::string& name);

  const std::string& name() const { return name_; }

  /// Ordered by name.
  const std::vector<TensorInfo>& tensors() const { return tensors_; }
  const TensorInfo* find_tensor(std::string_view name) const;

  /// Throws FileChangedError, see MappedFile.
  void check_unchanged() const {
    if (mapped_) mapped_->check_unchanged();
  }

  /// Nothing after from_bytes.
  const MappedFile* mapping() const { return mapped_ ? &*mapped_ : nullptr; }

 private:
  File() = default;

  std::string name_;
  std::vector<TensorInfo> tensors_;
  std::optional<MappedFile> mapped_;
};

}  // namespace pleiad::safetensors
