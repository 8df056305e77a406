#include "apps/models/prune.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <iterator>

#include "apps/common/confirm.h"
#include "apps/common/output.h"
#include "base/json.h"
#include "base/text_format.h"
#include "store/hugging_face_prune.h"
#include "store/prune.h"

namespace pleiad::apps {
namespace {

constexpr std::size_t kMaxPath = 500;

std::string freed_text(const std::vector<store::Unneeded>& files) {
  return fmt::format("{} in {} {}", format_bytes(store::bytes_of(files)), files.size(),
                     files.size() == 1 ? "place" : "places");
}

std::string list_of(const store::Prunable& found) {
  std::string text;
  for (const store::Unneeded& file : found.unneeded) {
    text += fmt::format("{:>9}  {}: {}\n", format_bytes(file.bytes), store::describe(file.kind),
                        printable(file.path.string(), kMaxPath));
  }
  for (const std::string& kept : found.kept) text += printable(kept, kMaxPath) + "\n";
  return text;
}

void print_files_json(const std::vector<store::Unneeded>& files, bool removed,
                      const std::vector<std::string>& failed = {}) {
  Json list = Json::array();
  for (const store::Unneeded& file : files) {
    list.push_back({{"path", file.path.string()},
                    {"size", file.bytes},
                    {"what", std::string(store::describe(file.kind))}});
  }
  print(to_text({{"removed", removed},
                 {"size", store::bytes_of(files)},
                 {"files", std::move(list)},
                 {"failed", failed}},
                2) +
        "\n");
}

/// In our own store, and in the caches of Hugging Face.
store::Prunable find_all(const Environment& environment, std::time_t now) {
  store::Prunable found = store::find_prunable(environment.own_models, now);
  for (const std::filesystem::path& hub : environment.hugging_face) {
    store::Prunable downloads = store::find_prunable_downloads(hub, now);
    std::ranges::move(downloads.unneeded, std::back_inserter(found.unneeded));
    std::ranges::move(downloads.kept, std::back_inserter(found.kept));
  }
  return found;
}

store::Pruned remove_all(const Environment& environment,
                         const std::vector<store::Unneeded>& confirmed, std::time_t now) {
  store::Pruned pruned = store::prune(environment.own_models, confirmed, now);
  for (const std::filesystem::path& hub : environment.hugging_face) {
    store::Pruned downloads = store::prune_downloads(hub, confirmed, now);
    std::ranges::move(downloads.removed, std::back_inserter(pruned.removed));
    std::ranges::move(downloads.failed, std::back_inserter(pruned.failed));
  }
  return pruned;
}

}  // namespace

int prune_store(const Environment& environment, bool yes, bool json) {
  const store::Prunable found = find_all(environment, std::time(nullptr));
  if (json && !yes) {
    print_files_json(found.unneeded, false);
    return 0;
  }
  if (!json) print(list_of(found));
  if (found.unneeded.empty() && !json) {
    print("nothing is there that no model needs\n");
    return 0;
  }
  if (!yes) {
    const std::string question =
        fmt::format("Remove them? This frees {}.", freed_text(found.unneeded));
    if (!can_ask()) {
      print(fmt::format("`pleiad prune --yes` frees {}\n", freed_text(found.unneeded)));
      return 0;
    }
    if (!confirmed(question)) {
      print("nothing was removed\n");
      return 0;
    }
  }
  const store::Pruned pruned = remove_all(environment, found.unneeded, std::time(nullptr));
  if (json) {
    print_files_json(pruned.removed, true, pruned.failed);
  } else {
    print(fmt::format("freed {}\n", freed_text(pruned.removed)));
    for (const std::string& failed : pruned.failed) print(printable(failed, kMaxPath) + "\n");
  }
  return pruned.failed.empty() ? 0 : 1;
}

}  // namespace pleiad::apps
