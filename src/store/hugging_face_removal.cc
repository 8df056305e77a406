#include "store/hugging_face_removal.h"

#include <algorithm>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "store/gguf_file_name.h"
#include "store/hugging_face_layout.h"
#include "store/model_files.h"

namespace pleiad::store {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostRepositoryFiles = 100'000;  // of a repository

/// Where a model lies in a cache.
struct CachePlace {
  fs::path hub;
  fs::path repository;  // hub/models--org--name
  fs::path snapshot;    // repository/snapshots/<commit>
};

CachePlace place_of(const fs::path& model) {
  for (fs::path at = model; at.has_relative_path(); at = at.parent_path()) {
    const fs::path snapshots = at.parent_path();
    const fs::path repository = snapshots.parent_path();
    if (snapshots.filename() == "snapshots" &&
        !repository_name(repository.filename().string()).empty()) {
      return {repository.parent_path(), repository, at};
    }
  }
  throw Error("{}: does not lie in a snapshot of a Hugging Face cache", model.string());
}

/// All that is no folder below one, links among it.
std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error);
       !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    std::error_code ignored;
    if (at->symlink_status(ignored).type() == fs::file_type::directory) continue;
    if (files.size() == kMostRepositoryFiles)
      throw Error("{}: has too many files", folder.string());
    files.push_back(at->path());
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    throw Error("{}: cannot be read: {}", folder.string(), error.message());
  }
  return files;
}

bool is_gguf(const fs::path& file) { return is_gguf_file_name(file.filename().string()); }

/// A GGUF model stays in the snapshot when `gone` goes.
bool keeps_a_model(const std::vector<fs::path>& files, const std::vector<fs::path>& gone) {
  return std::ranges::any_of(files, [&](const fs::path& file) {
    return is_gguf(file) && !parse_gguf_file_name(file.filename().string()).is_encoder &&
           std::ranges::find(gone, file) == gone.end();
  });
}

/// What of a snapshot belongs to the model.
std::vector<fs::path> files_to_remove(const ModelEntry& entry, const CachePlace& place) {
  const std::vector<fs::path> files = files_below(place.snapshot);
  std::vector<fs::path> gone;
  if (entry.path == place.snapshot) {
    std::ranges::copy_if(files, std::back_inserter(gone),
                         [](const fs::path& file) { return !is_gguf(file); });
    return gone;
  }
  gone = model_files(entry.path);
  if (keeps_a_model(files, gone)) return gone;
  std::ranges::copy_if(files, std::back_inserter(gone), [&](const fs::path& file) {
    return is_gguf(file) && std::ranges::find(gone, file) == gone.end();
  });
  return gone;
}

/// The blob of the repository that a link leads to; empty where it leads to none.
fs::path blob_of(const fs::path& link, const CachePlace& place) {
  std::error_code error;
  const fs::path target = fs::read_symlink(link, error);
  if (error) return {};
  const fs::path blob = (link.parent_path() / target).lexically_normal();
  return blob.parent_path() == place.repository / "blobs" ? blob : fs::path();
}

void remove_cached(const fs::path& file) {
  std::error_code error;
  fs::remove(file, error);
  if (error) throw Error("{}: cannot be removed: {}", file.string(), error.message());
}

/// Folders that nothing is in any more, from that of a file up to `last`.
void remove_emptied_folders(fs::path folder, const fs::path& last) {
  std::error_code error;
  while (fs::is_empty(folder, error) && !error) {
    fs::remove(folder, error);
    if (error || folder == last) return;
    folder = folder.parent_path();
  }
}

/// The branches and tags that note a commit.
void remove_revisions(const CachePlace& place) {
  const fs::path refs = place.repository / "refs";
  for (const fs::path& ref : files_below(refs)) {
    if (noted_commit(ref) != place.snapshot.filename().string()) continue;
    remove_cached(ref);
    remove_emptied_folders(ref.parent_path(), refs);
  }
}

void remove_repository(const CachePlace& place) {
  std::error_code ignored;
  for (const char* folder : {"snapshots", "blobs", "refs"}) {
    fs::remove(place.repository / folder, ignored);  // where it is empty
  }
  // Notes of huggingface_hub about commits that are not here any more.
  for (const char* notes : {"trees", ".no_exist"}) {
    fs::remove_all(place.repository / notes, ignored);
  }
  fs::remove(place.repository, ignored);
  if (fs::exists(place.repository, ignored)) return;  // something is being fetched
  fs::remove_all(place.hub / ".locks" / place.repository.filename(), ignored);
}

}  // namespace

void remove_from_hugging_face(const ModelEntry& entry) {
  const CachePlace place = place_of(entry.path);
  std::set<fs::path> blobs;
  for (const fs::path& file : files_to_remove(entry, place)) {
    const fs::path blob = blob_of(file, place);
    if (!blob.empty()) blobs.insert(blob);
    remove_cached(file);
    remove_emptied_folders(file.parent_path(), place.snapshot);
  }
  std::error_code ignored;
  if (!fs::exists(place.snapshot, ignored)) remove_revisions(place);
  for (const fs::path& file : files_below(place.repository / "snapshots")) {
    blobs.erase(blob_of(file, place));
  }
  for (const fs::path& blob : blobs) remove_cached(blob);
  if (fs::is_empty(place.repository / "snapshots", ignored)) remove_repository(place);
}

}  // namespace pleiad::store
