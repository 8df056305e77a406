#include "store/folder_entries.h"

#include <algorithm>

namespace pleiad::store {

namespace fs = std::filesystem;

std::vector<fs::path> folder_entries(const fs::path& folder, std::size_t most) {
  std::vector<fs::path> paths;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator() && paths.size() < most;
       entry.increment(error)) {
    paths.push_back(entry->path());
  }
  std::ranges::sort(paths);
  return paths;
}

}  // namespace pleiad::store
