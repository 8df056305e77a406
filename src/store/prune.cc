#include "store/prune.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "store/arrivals.h"
#include "store/blobs.h"
#include "store/folder_entries.h"
#include "store/held_file.h"
#include "store/leftovers.h"
#include "store/own_store.h"
#include "store/store_lock.h"

namespace pleiad::store {

namespace fs = std::filesystem;

namespace {

constexpr std::time_t kYoung = 3600;  // seconds

OwnStore::Needed needed_by_all(const fs::path& store) {
  auto needed = OwnStore(store).needed();
  if (!needed) throw Error("{}; nothing is removed", needed.message());
  return std::move(needed).value();
}

void look_at_blobs(const fs::path& store, const OwnStore::Needed& needed, std::time_t now,
                   Prunable& found) {
  for (const fs::path& path : folder_entries(store / "blobs")) {
    const std::string name = path.filename().string();
    const std::string hex = blob_digits(name);
    const bool is_blob = !hex.empty();
    if (is_blob ? needed.blobs.contains(hex) : !is_half_a_blob(name)) continue;
    const HeldFile file(path);
    if (!file.is_file()) continue;
    if (!file.is_free()) {
      found.kept.push_back(fmt::format("{} stays: somebody uses it", path.string()));
    } else if (is_blob && now - file.changed() < kYoung) {
      found.kept.push_back(fmt::format(
          "{} stays: it came less than an hour ago, and a model may be made of it", path.string()));
    } else {
      found.unneeded.push_back(
          {path, file.bytes(), is_blob ? Unneeded::Kind::blob : Unneeded::Kind::written});
    }
  }
}

void look_at_partial_files(const fs::path& store, Prunable& found) {
  for (const fs::path& path : folder_entries(store / "partial")) {
    const HeldFile file(path);
    if (!file.is_file()) continue;
    if (file.is_free()) {
      found.unneeded.push_back({path, file.bytes(), Unneeded::Kind::partial});
    } else {
      found.kept.push_back(fmt::format("{} stays: it is being downloaded", path.string()));
    }
  }
}

void look_at_checkpoints(const fs::path& store, const OwnStore::Needed& needed, Prunable& found) {
  for (const fs::path& path : folder_entries(store / "checkpoints")) {
    std::error_code error;
    if (needed.folders.contains(path.filename().string()) ||
        !fs::is_directory(fs::symlink_status(path, error))) {
      continue;
    }
    found.unneeded.push_back({path, 0, Unneeded::Kind::checkpoint});
  }
}

/// With the store's lock held. `somebody_fetches`: what comes, and blobs that a model which is
/// coming may count on, are nobody's to take.
Prunable look(const fs::path& store, std::time_t now, bool somebody_fetches) {
  Prunable found;
  const OwnStore::Needed needed = needed_by_all(store);
  if (somebody_fetches) {
    found.kept.push_back(
        "a model is being pulled: files of no model and interrupted downloads stay until it is "
        "there");
  } else {
    look_at_blobs(store, needed, now, found);
    look_at_partial_files(store, found);
  }
  look_at_checkpoints(store, needed, found);
  return found;
}

/// While it lives, nobody begins to fetch; `busy` where somebody does already.
struct IdleStore {
  explicit IdleStore(const fs::path& store) : lock(lock_idle_arrivals(store)) {
    std::error_code error;
    busy = !lock && fs::is_directory(store / "partial", error);
  }

  std::unique_ptr<ArrivalsLock> lock;
  bool busy = false;
};

bool store_is_there(const fs::path& store) {
  std::error_code error;
  return !store.empty() && fs::is_directory(store, error);
}

}  // namespace

std::string_view describe(Unneeded::Kind kind) {
  switch (kind) {
    case Unneeded::Kind::blob:
      return "file that no model needs";
    case Unneeded::Kind::partial:
      return "interrupted download";
    case Unneeded::Kind::written:
      return "half written file";
    case Unneeded::Kind::checkpoint:
      return "folder of links that no model needs";
  }
  return "";
}

std::uint64_t bytes_of(const std::vector<Unneeded>& files) {
  std::uint64_t sum = 0;
  for (const Unneeded& file : files) sum += file.bytes;
  return sum;
}

Prunable find_prunable(const fs::path& store, std::time_t now) {
  if (!store_is_there(store)) return {};
  const IdleStore idle(store);
  const StoreLock lock(store);
  return look(store, now, idle.busy);
}

void remove_unneeded(const Unneeded& file, Pruned& pruned) {
  std::error_code error;
  fs::remove_all(file.path, error);
  if (error) {
    pruned.failed.push_back(
        fmt::format("{}: cannot be removed: {}", file.path.string(), error.message()));
  } else {
    pruned.removed.push_back(file);
  }
}

Pruned prune(const fs::path& store, const std::vector<Unneeded>& confirmed, std::time_t now) {
  Pruned pruned;
  if (!store_is_there(store)) return pruned;
  const IdleStore idle(store);  // until all is removed
  const StoreLock lock(store);
  for (const Unneeded& file : look(store, now, idle.busy).unneeded) {
    if (std::ranges::find(confirmed, file.path, &Unneeded::path) == confirmed.end()) continue;
    remove_unneeded(file, pruned);
  }
  return pruned;
}

}  // namespace pleiad::store
