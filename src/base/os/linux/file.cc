#include "base/os/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace pleiad::os {
namespace {

namespace fs = std::filesystem;

/// The bits that new files must not have. Asked for once: asking clears the mask for a
/// moment, and two threads at it at once could leave it cleared.
mode_t creation_mask() {
  static const mode_t mask = [] {
    const mode_t old = ::umask(0);
    ::umask(old);
    return old;
  }();
  return mask;
}

/// -1 where it cannot be made.
int make_locked(const fs::path& target, std::string& name) {
  constexpr int kTries = 100;
  for (int tries = 0; tries < kTries; ++tries) {
    name = target.string() + ".partial-XXXXXX";
    const int file = ::mkostemp(name.data(), O_CLOEXEC);
    if (file < 0) return -1;
    // Some file systems have no locks. Who found it before we had locked it has removed it.
    const bool is_taken = ::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    struct stat status = {};
    if (!is_taken && ::fstat(file, &status) == 0 && status.st_nlink > 0) return file;
    ::close(file);
  }
  errno = EBUSY;
  return -1;
}

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

FileFacts facts_from(const struct stat& status) {
  FileFacts facts;
  facts.device = status.st_dev;
  facts.inode = status.st_ino;
  facts.bytes = static_cast<std::uint64_t>(status.st_size);
  facts.written = nanoseconds(status.st_mtim);
  facts.changed = nanoseconds(status.st_ctim);
  facts.n_names = status.st_nlink;
  facts.mode = status.st_mode;
  facts.owner = status.st_uid;
  facts.group = status.st_gid;
  if (S_ISREG(status.st_mode)) facts.kind = FileKind::regular;
  if (S_ISDIR(status.st_mode)) facts.kind = FileKind::folder;
  return facts;
}

}  // namespace

int open_to_read(const fs::path& path) {
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

int open_to_write(const fs::path& path) { return ::open(path.c_str(), O_WRONLY | O_CLOEXEC); }

int make_beside(const fs::path& target, unsigned mode, fs::path& name) {
  int file = -1;
  int reason = 0;
  {
    std::string made;
    file = make_locked(target, made);
    reason = errno;  // which freeing the text may change
    if (file >= 0) name = made;
  }
  if (file < 0) {
    errno = reason;
    return -1;
  }
  struct stat old = {};
  const bool replaces = ::stat(target.c_str(), &old) == 0;
  ::fchmod(file, replaces ? old.st_mode & 07777U : mode & ~creation_mask());
  return file;
}

int make_in_memory(const std::string& name) { return ::memfd_create(name.c_str(), MFD_CLOEXEC); }

std::string path_of(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

int duplicate(int descriptor) { return ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0); }

bool close(int descriptor) { return ::close(descriptor) == 0; }

bool write(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

bool write_at(int descriptor, std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count =
        ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
  return true;
}

bool append_hole(int descriptor, std::uint64_t count) {
  const off_t end = ::lseek(descriptor, static_cast<off_t>(count), SEEK_CUR);
  return end >= 0 && ::ftruncate(descriptor, end) == 0;
}

bool sync(int descriptor) { return ::fsync(descriptor) == 0; }

bool remove_file(const fs::path& path) { return ::unlink(path.c_str()) == 0; }

bool make_folder(const fs::path& path) { return ::mkdir(path.c_str(), 0777) == 0; }

bool replace_file(const fs::path& from, const fs::path& to) {
  return ::rename(from.c_str(), to.c_str()) == 0;
}

bool rename_folder(const fs::path& from, const fs::path& to) {
  return ::rename(from.c_str(), to.c_str()) == 0;
}

bool exchange_folders(const fs::path& one, const fs::path& other) {
  if (::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0) {
    return true;
  }
  if (errno == EINVAL || errno == ENOSYS) errno = ENOTSUP;
  return false;
}

std::optional<FileFacts> facts_of(int descriptor) {
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0) return std::nullopt;
  return facts_from(status);
}

std::optional<FileFacts> facts_of(const fs::path& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return facts_from(status);
}

}  // namespace pleiad::os
