#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/mapped_file.h"
#include "formats/gguf/metadata.h"
#include "tensor/dtype.h"
#include "tensor/host_tensor.h"

namespace pleiad::gguf {

/// A tensor as the file lists it.
struct TensorInfo {
  std::string_view name;
  std::uint32_t ggml_type = 0;
  std::optional<DType> dtype;       // empty: a type that we cannot decode
  Shape shape;                      // outermost first
  std::span<const std::byte> data;  // empty where the type is not even known
};

/// A GGUF file (version 2 or 3), or all parts of a split one, mapped into memory
/// and checked: every count, size and offset lies inside the file, and no two
/// tensors overlap. Names, strings and tensor data are views of the mapping.
class File {
 public:
  /// For a split model (name-00001-of-00003.gguf) any part will do; the others
  /// are found beside it. Throws LoadError with all that is wrong.
  static File open(const std::filesystem::path& path);

  /// Reads one file that lies in memory; `bytes` must outlive the object.
  static File from_bytes(std::span<const std::byte> bytes, const std::string& name);

  /// The path or name, for messages.
  const std::string& name() const { return name_; }
  std::uint32_t version() const { return version_; }

  /// Of a split model: that of its first part.
  const Metadata& metadata() const { return metadata_; }

  const std::vector<TensorInfo>& tensors() const { return tensors_; }
  const TensorInfo* find_tensor(std::string_view name) const;

  /// Throws FileChangedError, see MappedFile.
  void check_unchanged() const;

  /// The mapped parts; empty after from_bytes.
  const std::vector<MappedFile>& parts() const { return parts_; }

 private:
  File() = default;
  void add_tensors(std::vector<TensorInfo> tensors);

  std::string name_;
  std::uint32_t version_ = 0;
  Metadata metadata_;
  std::vector<TensorInfo> tensors_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
  std::vector<MappedFile> parts_;
};

}  // namespace pleiad::gguf
