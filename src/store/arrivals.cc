#include "store/arrivals.h"

#include <utility>
#include <vector>

#include "base/check.h"
#include "base/error.h"
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

}  // namespace

fs::path partial_path(const fs::path& store, const std::string& hex) {
  return store / "partial" / ("sha256-" + hex);
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
    left_out = problem;
    manifest.projector_blob.clear();
  }
  make_folder(store / "blobs");
  Moves moves;
  for (const std::string& hex : manifest.blobs()) {
    const fs::path from = place(hex);
    if (const fs::path to = blob_path(store, hex); from != to) moves.move(from, to);
  }
  OwnStore(store).put(name, manifest);
  moves.keep();
  std::error_code ignored;
  if (!left_out.empty() && projector.parent_path().filename() == "partial") {
    fs::remove(projector, ignored);
  }
  return left_out;
}

}  // namespace pleiad::store
