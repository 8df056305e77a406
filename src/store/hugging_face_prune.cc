#include "store/hugging_face_prune.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <system_error>

#include "base/error.h"
#include "store/folder_entries.h"
#include "store/held_file.h"
#include "store/hugging_face_layout.h"

namespace pleiad::store {

namespace fs = std::filesystem;

namespace {

constexpr std::time_t kQuietSeconds = 60;

/// "0123" of "0123.incomplete" and "0123.89abcdef.incomplete"; empty where it is no beginning.
std::string etag_of(const std::string& name) {
  const std::size_t end = name.find('.');
  return name.ends_with(kIncomplete) ? name.substr(0, end) : std::string();
}

/// Calls `visit` for each beginning while it and its lock are held.
void visit_downloads(const fs::path& hub, std::time_t now, Prunable& found,
                     const std::function<void(const Unneeded&)>& visit) {
  for (const fs::path& repository : folder_entries(hub)) {
    const std::string folder = repository.filename().string();
    if (repository_name(folder).empty()) continue;
    for (const fs::path& path : folder_entries(repository / "blobs")) {
      const std::string etag = etag_of(path.filename().string());
      if (etag.empty()) continue;
      const HeldFile lock(download_lock(hub, folder, etag));  // often gone
      const HeldFile file(path);
      if (!file.is_file()) continue;
      if (!file.is_free() || (lock.is_file() && !lock.is_free())) {
        found.kept.push_back(fmt::format("{} stays: it is being downloaded", path.string()));
      } else if (now - file.changed() < kQuietSeconds) {
        found.kept.push_back(
            fmt::format("{} stays: it was written to less than a minute ago", path.string()));
      } else {
        visit({path, file.bytes(), Unneeded::Kind::partial});
      }
    }
  }
}

}  // namespace

Prunable find_prunable_downloads(const fs::path& hub, std::time_t now) {
  Prunable found;
  visit_downloads(hub, now, found, [&](const Unneeded& file) { found.unneeded.push_back(file); });
  return found;
}

Pruned prune_downloads(const fs::path& hub, const std::vector<Unneeded>& confirmed,
                       std::time_t now) {
  Pruned pruned;
  Prunable ignored;
  visit_downloads(hub, now, ignored, [&](const Unneeded& file) {
    if (std::ranges::find(confirmed, file.path, &Unneeded::path) == confirmed.end()) return;
    remove_unneeded(file, pruned);
  });
  return pruned;
}

}  // namespace pleiad::store
