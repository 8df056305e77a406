#include "store/arrivals.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/error.h"
#include "base/sync_folder.h"
#include "store/blobs.h"
#include "store/details.h"
#include "store/own_store.h"
#include "store/store_lock.h"

namespace pleiad::store {

namespace fs = std::filesystem;

namespace {

/// Files that moved into their places, and move back unless that is kept.
class Moves {
 public:
  Moves() = default;
  ~Moves() {
    std::error_code ignored;
    for (const auto& [from, to] : moved_) fs::rename(to, from, ignored);
  }
  Moves(const Moves&) = delete;
  Moves& operator=(const Moves&) = delete;

  void move(const fs::path& from, const fs::path& to) {
    std::error_code error;
    fs::rename(from, to, error);
    if (error) {
      throw Error("{}: cannot be moved to {}: {}", from.string(), to.string(), error.message());
    }
    moved_.emplace_back(from, to);
  }

  void keep() { moved_.clear(); }

 private:
  std::vector<std::pair<fs::path, fs::path>> moved_;
};

int lock_folder(const fs::path& folder, int how) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return -1;
  const int number = lock_open_file(descriptor, how);
  if (number == 0) return descriptor;
  ::close(descriptor);
  errno = number;
  return -1;
}

}  // namespace

ArrivalsLock::ArrivalsLock(const fs::path& store) {
  require_root(store);
  const fs::path folder = store / "partial";
  make_folder(folder);
  folder_ = lock_folder(folder, LOCK_SH);
  if (folder_ < 0) {
    throw Error("{}: cannot be locked: {}", folder.string(), errno_text(errno));
  }
}

ArrivalsLock::~ArrivalsLock() {
  if (folder_ >= 0) ::close(folder_);
}

std::unique_ptr<ArrivalsLock> lock_idle_arrivals(const fs::path& store) {
  const int folder = lock_folder(store / "partial", LOCK_EX | LOCK_NB);
  if (folder < 0) return nullptr;
  std::unique_ptr<ArrivalsLock> lock(new ArrivalsLock);
  lock->folder_ = folder;
  return lock;
}

fs::path partial_path(const fs::path& store, const std::string& hex) {
  return store / "partial" / blob_name(hex);
}

bool has_whole_blob(const fs::path& store, const std::string& hex, std::uint64_t bytes) {
  std::error_code error;
  const fs::path path = blob_path(store, hex);
  return is_file(path) && fs::file_size(path, error) == bytes && !error;
}

std::string install(const fs::path& store, const ModelName& name, Manifest manifest,
                    const std::set<std::string>& arrived) {
  CHECK(!manifest.blob.empty() && manifest.files.empty());
  const auto place = [&](const std::string& hex) {
    if (hex.empty()) return fs::path();
    // Another process that brought the same may have been here before us.
    const fs::path partial = partial_path(store, hex);
    return arrived.contains(hex) && is_file(partial) ? partial : blob_path(store, hex);
  };
  const fs::path model = place(manifest.blob);
  const fs::path projector = place(manifest.projector_blob);
  std::string left_out;
  if (const std::string problem = inspect(model, projector).problem; !problem.empty()) {
    if (projector.empty() || !inspect(model, {}).problem.empty()) throw Error("{}", problem);
    const std::string path = projector.string() + ": ";  // which will not be its place
    left_out = problem.starts_with(path) ? problem.substr(path.size()) : problem;
    manifest.projector_blob.clear();
  }
  make_folder(store / "blobs");
  Moves moves;
  for (const std::string& hex : manifest.blobs()) {
    const fs::path from = place(hex);
    if (const fs::path to = blob_path(store, hex); from != to) moves.move(from, to);
  }
  sync_folder(store / "blobs");  // before a manifest names them
  OwnStore(store).put(name, manifest);
  moves.keep();
  sync_folder((store / "manifests" / name.path()).parent_path());
  std::error_code ignored;
  if (!left_out.empty() && projector.parent_path().filename() == "partial") {
    fs::remove(projector, ignored);
  }
  return left_out;
}

}  // namespace pleiad::store
