#include "store/leftovers.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/blobs.h"
#include "store/held_file.h"
#include "store/store_lock.h"

namespace pleiad::store {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMark = ".partial-";
constexpr std::size_t kLetters = 6;  // of mkstemp

bool is_half_written(std::string_view name) {
  const std::size_t mark = name.rfind(kMark);
  if (mark == std::string_view::npos || mark == 0) return false;
  const std::string_view letters = name.substr(mark + kMark.size());
  return letters.size() == kLetters && std::all_of(letters.begin(), letters.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
         });
}

/// Unless somebody writes it.
void remove_file(const fs::path& path, Leftovers& removed) {
  const HeldFile file(path);
  std::error_code error;
  if (!file.is_free() || !fs::remove(path, error)) return;
  ++removed.n_files;
  removed.bytes += file.bytes();
}

/// The paths below a folder for whose names `wanted` holds; of folders below it only if `deep`.
std::vector<fs::path> paths_in(const fs::path& folder, bool deep,
                               bool (*wanted)(std::string_view)) {
  std::vector<fs::path> paths;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (!deep) entry.disable_recursion_pending();
    if (wanted(entry->path().filename().string())) paths.push_back(entry->path());
  }
  return paths;
}

}  // namespace

bool is_half_a_blob(std::string_view name) {
  return is_half_written(name) && !blob_digits(name.substr(0, name.rfind(kMark))).empty();
}

Leftovers remove_leftovers(const fs::path& store) {
  Leftovers removed;
  std::error_code error;
  if (store.empty() || !fs::is_directory(store, error)) return removed;
  const StoreLock lock(store);  // whoever finishes a file, or makes a checkpoint, has it
  for (const fs::path& path : paths_in(store / "blobs", false, is_half_a_blob)) {
    remove_file(path, removed);
  }
  for (const fs::path& path : paths_in(store / "manifests", true, is_half_written)) {
    remove_file(path, removed);
  }
  const auto is_checkpoint = [](std::string_view name) { return name.ends_with(".partial"); };
  for (const fs::path& path : paths_in(store / "checkpoints", false, is_checkpoint)) {
    if (fs::is_directory(fs::symlink_status(path, error))) {
      const std::uintmax_t n_files = fs::remove_all(path, error);
      if (!error) removed.n_files += n_files;
    }
  }
  return removed;
}

}  // namespace pleiad::store
