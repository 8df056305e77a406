#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/output_file.h"
#include "tensor/host_tensor.h"

namespace pleiad::safetensors {

/// A tensor to be written, of one value at least.
struct NewTensor {
  std::string name;
  std::string type;  // as in a header: "BF16", "U8"
  Shape shape;       // empty: a scalar

  std::uint64_t bytes() const;
};

/// Writes a safetensors file: the header first, then data of the tensors in any order,
/// each of them from its start to its end. In the file, elements of many bytes come
/// before those of few, by name within a size, as the format's own library lays them
/// out, so that every tensor is aligned. The file is whole or not there (OutputFile).
///
///   Writer writer("model.safetensors", {{"a", "BF16", {3, 5}}});
///   writer.write(0, bytes);
///   writer.finish();
class Writer {
 public:
  /// Throws Error that names the path, as write() and finish() do.
  Writer(const std::filesystem::path& path, std::vector<NewTensor> tensors);

  /// More data of tensors[index]. Threads may write different tensors at once.
  void write(std::size_t index, std::span<const std::byte> bytes);

  /// Bytes of the whole file.
  std::uint64_t file_size() const { return file_size_; }

  /// CHECKs that all data was written.
  void finish();

 private:
  struct Place {
    std::uint64_t next = 0;  // in the file
    std::uint64_t end = 0;
  };

  OutputFile file_;
  std::vector<NewTensor> tensors_;
  std::vector<Place> places_;  // of each tensor
  std::uint64_t file_size_ = 0;
};

/// Bytes of a shard, as published checkpoints have them.
inline constexpr std::uint64_t kShardBytes = 5'000'000'000;

/// Writes the tensors of a model folder: model.safetensors, or where there are more
/// than `shard_bytes` of them, model-00001-of-00003.safetensors and so on with
/// model.safetensors.index.json. A tensor that is larger has a shard of its own.
class FolderWriter {
 public:
  /// Tensors go into shards in the order of the list. `folder` exists.
  FolderWriter(const std::filesystem::path& folder, const std::vector<NewTensor>& tensors,
               std::uint64_t shard_bytes = kShardBytes);

  /// As Writer::write, with the tensor's place in the list.
  void write(std::size_t index, std::span<const std::byte> bytes);

  /// Bytes of all files but the index.
  std::uint64_t total_size() const;

  /// CHECKs that all data was written, and writes the index.
  void finish();

 private:
  struct Place {
    std::size_t shard = 0;
    std::size_t index = 0;  // in it
  };

  std::filesystem::path folder_;
  std::vector<std::string> names_;  // of tensors
  std::vector<Place> places_;       // of tensors
  std::vector<std::string> files_;  // of shards
  std::vector<std::unique_ptr<Writer>> shards_;
  std::uint64_t tensor_bytes_ = 0;
};

}  // namespace pleiad::safetensors
