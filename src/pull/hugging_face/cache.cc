#include "pull/hugging_face/cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/ascii.h"
#include "base/check.h"
#include "base/error.h"
#include "base/output_file.h"
#include "base/random_bytes.h"
#include "base/sync_folder.h"
#include "pull/hugging_face/file_path.h"
#include "store/hugging_face_layout.h"
#include "store/store_lock.h"

namespace pleiad::pull::hugging_face {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kNewRevision = "revision-";  // and letters: beside the locks
constexpr std::size_t kMostFiles = 100'000;             // of a snapshot, or of a folder of blobs

/// The bytes of a regular file, links followed; empty where there is none.
std::optional<std::uint64_t> size_of_file(const fs::path& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return static_cast<std::uint64_t>(status.st_size);
}

/// When it was last written to; now where it cannot be asked.
std::time_t written_at(const fs::path& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mtime : std::time(nullptr);
}

/// A regular file itself, no link to one.
bool is_plain_file(const fs::path& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() == fs::file_type::regular;
}

/// Where a disk's locks do not hold, somebody might be at it.
bool is_written_to(const fs::path& path) {
  constexpr std::time_t kQuietSeconds = 10;
  return std::time(nullptr) - written_at(path) < kQuietSeconds;
}

/// Written out of order, as by clients that fetch pieces at once.
bool has_holes(const fs::path& path) {
  constexpr std::uint64_t kBlock = 512;         // of st_blocks
  constexpr std::uint64_t kElsewhere = 65'536;  // what disks may keep beside their blocks
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 &&
         static_cast<std::uint64_t>(status.st_blocks) * kBlock + kElsewhere <
             static_cast<std::uint64_t>(status.st_size);
}

void rename_to(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) {
    throw Error("{}: cannot be renamed to {}: {}", from.string(), to.filename().string(),
                error.message());
  }
}

/// "../../blobs/<etag>", one "../" more for each folder within the snapshot.
fs::path target_of_link(const HubFile& file) {
  const auto depth = static_cast<std::size_t>(std::ranges::count(file.path, '/')) + 2;
  fs::path target;
  for (std::size_t i = 0; i < depth; ++i) target /= "..";
  return target / "blobs" / file.etag();
}

/// The blob that a link within a snapshot leads to; empty where it is no such link.
std::string etag_of_link(const fs::path& path) {
  std::error_code error;
  const fs::path target = fs::read_symlink(path, error);
  return error ? std::string() : target.filename().string();
}

}  // namespace

void make_file(const fs::path& path, std::string_view text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0 && errno == EEXIST) throw Error("{}: is there already", path.string());
  if (file < 0) throw Error("{}: cannot be made: {}", path.string(), errno_text(errno));
  OutputFile output(file, path.string());
  output.write(std::as_bytes(std::span(text.data(), text.size())));
  output.finish();
}

Cache::Cache(fs::path hub, const std::string& repository) : hub_(std::move(hub)) {
  CHECK(repository.find('/') != std::string::npos && path_problem(repository).empty(), "{}",
        repository);
  const std::string name = store::repository_folder(repository);
  folder_ = hub_ / name;
  locks_ = hub_ / ".locks" / name;
}

fs::path Cache::snapshot(const std::string& commit) const {
  CHECK(store::is_commit(commit), "{}", commit);
  return folder_ / "snapshots" / commit;
}

fs::path Cache::blob(const std::string& etag) const { return folder_ / "blobs" / etag; }

fs::path Cache::partial(const std::string& etag) const {
  return folder_ / "blobs" / fmt::format("{}{}", etag, store::kIncomplete);
}

fs::path Cache::lock_file(const std::string& etag) const {
  return store::download_lock(hub_, folder_.filename().string(), etag);
}

bool Cache::has(const std::string& commit, const HubFile& file) const {
  return size_of_file(blob(file.etag())) == file.size ||
         size_of_file(snapshot(commit) / file.path) == file.size;
}

std::uint64_t Cache::at_hand(const std::string& commit, const HubFile& file) const {
  if (has(commit, file)) return file.size;
  const std::uint64_t size = size_of_file(beginning_of(file)).value_or(0);
  return size <= file.size ? size : 0;
}

std::vector<fs::path> Cache::partials_of(const HubFile& file) const {
  std::vector<fs::path> found;
  std::error_code error;
  std::size_t n_entries = 0;
  for (fs::directory_iterator at(folder_ / "blobs", error);
       !error && at != fs::directory_iterator() && n_entries < kMostFiles; at.increment(error)) {
    ++n_entries;
    const std::string name = at->path().filename().string();
    if (!name.starts_with(file.etag() + ".") || !name.ends_with(store::kIncomplete)) continue;
    if (is_plain_file(at->path())) found.push_back(at->path());
  }
  std::ranges::sort(found);
  return found;
}

std::optional<std::string> Cache::commit_of(const std::string& revision) const {
  if (store::is_commit(revision)) return revision;
  if (!path_problem(revision).empty()) return std::nullopt;
  std::string commit = store::noted_commit(folder_ / "refs" / revision);
  return store::is_commit(commit) ? std::optional(std::move(commit)) : std::nullopt;
}

std::vector<HubFile> Cache::files_of(const std::string& commit) const {
  std::vector<HubFile> files;
  const fs::path root = snapshot(commit);
  std::error_code error;
  for (fs::recursive_directory_iterator at(root, error);
       !error && at != fs::recursive_directory_iterator() && files.size() < kMostFiles;
       at.increment(error)) {
    const auto size = size_of_file(at->path());
    if (!size) continue;
    HubFile file;
    file.path = at->path().lexically_relative(root).generic_string();
    if (!path_problem(file.path).empty()) continue;
    file.size = *size;
    const std::string etag = etag_of_link(at->path());
    (is_hex(etag, 64) ? file.sha256 : file.git_id) = etag;
    files.push_back(std::move(file));
  }
  std::ranges::sort(files, {}, &HubFile::path);
  return files;
}

void Cache::make_folders() const {
  store::make_folder(folder_ / "blobs");
  store::make_folder(folder_ / "refs");
  store::make_folder(folder_ / "snapshots");
  remove_dead_revisions();
  const fs::path tag = hub_ / "CACHEDIR.TAG";
  std::error_code error;
  const auto is_tagged = [&] { return fs::exists(fs::symlink_status(tag, error)); };
  if (is_tagged()) return;
  try {
    make_file(tag,
              "Signature: 8a477f597d28d172789f06886806bc55\n"
              "# This file is a cache directory tag created by Pleiad.\n"
              "# For information about cache directory tags, see https://bford.info/cachedir/\n");
  } catch (const Error&) {
    if (!is_tagged()) throw;  // else somebody was quicker
  }
}

void Cache::remove_dead_revisions() const {
  constexpr std::time_t kDeadSeconds = 60;
  std::error_code error, ignored;
  for (fs::directory_iterator at(locks_, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    const bool is_one = at->path().filename().string().starts_with(kNewRevision);
    if (!is_one || std::time(nullptr) - written_at(at->path()) < kDeadSeconds) continue;
    fs::remove(at->path(), ignored);
  }
}

fs::path Cache::beginning_of(const HubFile& file) const {
  const fs::path own = partial(file.etag());
  if (is_plain_file(own)) return own;
  fs::path longest;
  std::uint64_t most = 0;
  for (const fs::path& path : partials_of(file)) {
    const std::uint64_t size = size_of_file(path).value_or(0);
    if (size > file.size || size <= most || has_holes(path) || is_written_to(path)) continue;
    longest = path;
    most = size;
  }
  return longest;
}

void Cache::adopt_partial(const HubFile& file) const {
  const fs::path own = partial(file.etag());
  const fs::path beginning = beginning_of(file);
  if (!beginning.empty() && beginning != own) rename_to(beginning, own);
}

void Cache::finish_blob(const HubFile& file) const {
  rename_to(partial(file.etag()), blob(file.etag()));
  sync_folder(folder_ / "blobs");
  std::error_code ignored;
  for (const fs::path& path : partials_of(file)) {
    if (!is_written_to(path)) fs::remove(path, ignored);
  }
}

void Cache::link(const std::string& commit, const HubFile& file) const {
  CHECK(path_problem(file.path).empty(), "{}", file.path);
  const fs::path path = snapshot(commit) / file.path;
  const fs::path target = target_of_link(file);
  std::error_code error;
  if (fs::read_symlink(path, error) == target && !error) return;
  if (!size_of_file(blob(file.etag())) && size_of_file(path) == file.size) return;
  store::make_folder(path.parent_path());
  // In this order, so that no moment leaves a file behind that belongs to nothing.
  fs::remove(path, error);
  fs::create_symlink(target, path, error);
  if (error) throw Error("{}: cannot be made a link: {}", path.string(), error.message());
}

void Cache::set_revision(const std::string& revision, const std::string& commit) const {
  if (revision == commit || commit_of(revision) == commit) return;
  CHECK(path_problem(revision).empty() && store::is_commit(commit), "{}", revision);
  const fs::path path = folder_ / "refs" / revision;
  store::make_folder(path.parent_path());
  // Nobody may read half a commit, and whatever stands below refs/ counts as a revision.
  const fs::path temporary = locks_ / random_name(kNewRevision, 12);
  store::make_folder(locks_);
  make_file(temporary, commit);
  rename_to(temporary, path);
}

}  // namespace pleiad::pull::hugging_face
