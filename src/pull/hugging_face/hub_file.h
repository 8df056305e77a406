#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pleiad::pull::hugging_face {

/// A file of a repository, as the hub lists it.
struct HubFile {
  std::string path;        // within the repository, checked: "config.json", "BF16/x-BF16.gguf"
  std::uint64_t size = 0;  // bytes
  std::string git_id;      // 40 hex digits: git's SHA-1 of the file; of a large one, of its pointer
  std::string sha256;      // 64 hex digits: of a large file (LFS, Xet); empty: git keeps it itself

  /// What hub and caches know its bytes by.
  const std::string& etag() const { return sha256.empty() ? git_id : sha256; }
};

/// The one of that path among files that stand by path; null: there is none.
inline const HubFile* find_file(const std::vector<HubFile>& files, std::string_view path) {
  const auto found = std::ranges::lower_bound(files, path, {}, &HubFile::path);
  return found != files.end() && found->path == path ? &*found : nullptr;
}

/// "x-BF16.gguf" of "BF16/x-BF16.gguf".
inline std::string file_name_of(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

/// "BF16/" of "BF16/x-BF16.gguf"; empty at the top.
inline std::string folder_of(const std::string& path) {
  return path.substr(0, path.rfind('/') + 1);
}

}  // namespace pleiad::pull::hugging_face
