#include "store/folder_scan.h"

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "store/gguf_file_name.h"
#include "store/model_files.h"
#include "store/model_name.h"

namespace pleiad::store {

namespace fs = std::filesystem;

namespace {

constexpr int kDeepest = 6;
constexpr std::size_t kMostEntries = 100'000;  // looked at in all

class Scan {
 public:
  void look_into(const fs::path& folder, int depth) {
    struct stat status = {};
    if (::stat(folder.c_str(), &status) != 0) return;
    if (!seen_.emplace(status.st_dev, status.st_ino).second) return;
    if (looks_like_checkpoint(folder)) found_.emplace_back(folder, folder.filename().string());
    std::error_code error;
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
      if (++n_entries_ > kMostEntries) return;
      look_at(entry->path(), depth);
    }
  }

  std::vector<ModelEntry> entries() {
    std::ranges::sort(found_);
    std::map<std::string, int> uses;
    for (const auto& [path, stem] : found_) ++uses[stem];
    std::vector<ModelEntry> result;
    for (const auto& [path, stem] : found_) {
      ModelEntry& entry = result.emplace_back();
      const bool is_name = uses[stem] == 1 && is_model_part(stem);
      entry.name = is_name ? stem + ":latest" : path.string();
      entry.path = path;
      entry.source = Source::folder;
    }
    return result;
  }

 private:
  void look_at(const fs::path& path, int depth) {
    const std::string name = path.filename().string();
    if (name.starts_with(".")) return;
    std::error_code error;
    if (fs::is_directory(path, error)) {
      if (depth < kDeepest) look_into(path, depth + 1);
    } else if (is_gguf_file_name(name)) {
      const GgufFileName parsed = parse_gguf_file_name(name);
      if (parsed.is_model()) found_.emplace_back(path, parsed.stem);
    }
  }

  std::set<std::pair<dev_t, ino_t>> seen_;
  std::vector<std::pair<fs::path, std::string>> found_;
  std::size_t n_entries_ = 0;
};

}  // namespace

std::vector<ModelEntry> scan_folder(const fs::path& folder) {
  Scan scan;
  std::error_code error;
  const fs::path absolute = fs::absolute(folder, error);
  scan.look_into(error ? folder : absolute, 0);
  return scan.entries();
}

}  // namespace pleiad::store
