#include "download/partial_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "base/clock.h"
#include "base/error.h"

namespace pleiad::download {
namespace {

constexpr std::size_t kReadAtOnce = std::size_t{1} << 20;
constexpr double kHashReportEvery = 0.1;  // seconds
constexpr std::uint64_t kHandOnAtOnce = std::uint64_t{32} << 20;

/// Whether the path still leads to this open file: it may have been renamed or removed meanwhile.
bool is_at(const char* path, int file) {
  struct stat there = {};
  struct stat here = {};
  return ::lstat(path, &there) == 0 && ::fstat(file, &here) == 0 && there.st_dev == here.st_dev &&
         there.st_ino == here.st_ino;
}

/// -1 and errno where it fails. Who opened the file before its holder was done with it, and removed
/// it or gave it its final name, has locked another file than the path means, and opens again.
int open_locked(const char* path) {
  constexpr int kTries = 100;
  for (int tries = 0; tries < kTries; ++tries) {
    const int file = ::open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (file < 0) return -1;
    // Some file systems have no locks.
    const bool is_taken = ::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    struct stat status = {};
    const bool is_there = is_at(path, file);
    if (!is_taken && is_there && ::fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
      return file;
    }
    ::close(file);
    if (is_taken || is_there) {
      errno = is_taken ? EWOULDBLOCK : EINVAL;
      return -1;
    }
  }
  errno = EWOULDBLOCK;
  return -1;
}

bool means_full(int error_number) {
  return error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
}

}  // namespace

PartialFile::PartialFile(const std::filesystem::path& path, int file, std::uint64_t size)
    : path_(path), file_(file), size_(size), handed_on_(size) {
  sum_.emplace();
}

PartialFile::~PartialFile() { ::close(file_); }

Outcome<std::unique_ptr<PartialFile>> PartialFile::open(const std::filesystem::path& path) {
  const int file = open_locked(path.c_str());
  if (file < 0 && errno == EWOULDBLOCK) {
    return Problem{Trouble::busy,
                   fmt::format("{}: is being written by another download", path.string())};
  }
  if (file < 0) {
    return Problem{means_full(errno) ? Trouble::no_space : Trouble::local_file,
                   fmt::format("{}: cannot be opened: {}", path.string(),
                               errno == EINVAL ? "it is no regular file" : errno_text(errno))};
  }
  struct stat status = {};
  ::fstat(file, &status);
  return std::unique_ptr<PartialFile>(
      new PartialFile(path, file, static_cast<std::uint64_t>(status.st_size)));
}

Problem PartialFile::trouble(const char* what, int error_number) const {
  return {means_full(error_number) ? Trouble::no_space : Trouble::local_file,
          fmt::format("{}: cannot be {}: {}", path_.string(), what, errno_text(error_number))};
}

std::optional<Problem> PartialFile::cut(std::uint64_t size) {
  if (::ftruncate(file_, static_cast<off_t>(size)) != 0) return trouble("cut", errno);
  size_ = handed_on_ = size;
  sum_.emplace();
  return std::nullopt;
}

std::optional<Problem> PartialFile::hash(const std::function<void(std::uint64_t)>& so_far,
                                         const Stop& stop) {
  std::vector<std::byte> buffer(std::min<std::uint64_t>(kReadAtOnce, size_));
  ::posix_fadvise(file_, 0, 0, POSIX_FADV_SEQUENTIAL);
  double next_report = 0;
  for (std::uint64_t at = 0; at < size_;) {
    if (stop && stop()) return Problem{Trouble::stopped, "was given up"};
    const std::size_t wanted = std::min<std::uint64_t>(buffer.size(), size_ - at);
    const ssize_t n = ::pread(file_, buffer.data(), wanted, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return trouble("read", errno);
    if (n == 0) {
      return Problem{Trouble::local_file,
                     fmt::format("{}: became shorter while it was read", path_.string())};
    }
    sum_->add(std::span(buffer).first(static_cast<std::size_t>(n)));
    at += static_cast<std::uint64_t>(n);
    const double now = monotonic_seconds();
    if (!so_far || (now < next_report && at < size_)) continue;
    next_report = now + kHashReportEvery;
    so_far(at);
  }
  return std::nullopt;
}

std::optional<Problem> PartialFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(size_.load()));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return trouble("written", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    size_ += static_cast<std::uint64_t>(n);
  }
  // The disk begins early, so that sync() at the end is short.
  if (size_ - handed_on_ >= kHandOnAtOnce) {
    ::sync_file_range(file_, static_cast<off_t>(handed_on_), static_cast<off_t>(size_ - handed_on_),
                      SYNC_FILE_RANGE_WRITE);
    handed_on_ = size_;
  }
  return std::nullopt;
}

std::optional<Problem> PartialFile::sync() {
  if (::fsync(file_) != 0) return trouble("written to the disk", errno);
  return std::nullopt;
}

void PartialFile::remove() {
  if (is_at(path_.c_str(), file_)) ::unlink(path_.c_str());
}

}  // namespace pleiad::download
