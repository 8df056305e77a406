#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

namespace pleiad::store {

/// The files that a model at `path` is made of: a GGUF file or all parts of a split one,
/// or the configuration and the shards of a folder. Whether they can be read is not checked.
std::vector<std::filesystem::path> model_files(const std::filesystem::path& path);

/// What tells whether a model has changed since it was last looked at, and what it takes.
struct FilesStamp {
  std::string text;    // paths, sizes, times of change
  std::string beside;  // the same of projector files beside a model that names none
  std::uint64_t size_bytes = 0;
  std::time_t modified = 0;  // of the file that changed last
  bool complete = true;      // all are there
};
/// `projector` as of ModelEntry.
FilesStamp stamp_of(const std::filesystem::path& path, const std::filesystem::path& projector);

/// True where a folder holds config.json and safetensors (or links to them that lead nowhere).
bool looks_like_checkpoint(const std::filesystem::path& folder);

}  // namespace pleiad::store
