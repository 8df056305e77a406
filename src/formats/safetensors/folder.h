#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/safetensors/file.h"

namespace pleiad::safetensors {

/// The safetensors files of a model folder: model.safetensors, or the shards
/// that model.safetensors.index.json lists.
class Folder {
 public:
  /// Throws LoadError with all that is wrong with all shards.
  static Folder open(const std::filesystem::path& path);

  /// True where the folder has one of the two.
  static bool looks_like_one(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  const std::vector<File>& files() const { return files_; }

  const TensorInfo* find_tensor(std::string_view name) const;

  /// Throws FileChangedError, see MappedFile.
  void check_unchanged() const;

 private:
  Folder() = default;

  std::filesystem::path path_;
  std::vector<File> files_;
  std::unordered_map<std::string_view, const TensorInfo*> by_name_;
};

/// The shards that an index file lists, each once, and which tensors are said to
/// be in it. Names that would lead out of the folder are refused.
struct ShardIndex {
  struct Entry {
    std::string tensor;
    std::string shard;
  };
  std::vector<Entry> entries;
  std::vector<std::string> shards;  // sorted
};
ShardIndex parse_shard_index(std::string_view json, const std::string& file);

}  // namespace pleiad::safetensors
