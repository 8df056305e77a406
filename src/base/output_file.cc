#include "base/output_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/error.h"

namespace pleiad {

namespace fs = std::filesystem;

namespace {

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

/// Makes a file beside the target and locks it: a file without a lock has lost its writer, and may
/// be removed by whoever tidies up. -1 where it cannot be made.
int open_temporary(const fs::path& target, std::string& name) {
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

}  // namespace

OutputFile::OutputFile(const fs::path& path, unsigned mode) : path_(path), target_(path) {
  std::error_code error;
  if (fs::is_symlink(path, error)) {
    const fs::path resolved = fs::weakly_canonical(path, error);
    if (error) throw Error("{}: cannot write: {}", path_.string(), error.message());
    target_ = resolved;
  }
  const fs::file_type type = fs::status(target_, error).type();
  if (type == fs::file_type::directory) fail(EISDIR);
  const bool direct = type != fs::file_type::regular && type != fs::file_type::not_found;
  if (direct) {
    file_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file_ < 0) fail(errno);
    return;
  }
  std::string name;
  file_ = open_temporary(target_, name);
  if (file_ < 0) fail(errno);
  temporary_ = name;
  // The mode of the file that is replaced, or the one asked for.
  struct stat old = {};
  const bool replaces = ::stat(target_.c_str(), &old) == 0;
  ::fchmod(file_, replaces ? old.st_mode & 07777U : mode & ~creation_mask());
}

OutputFile::OutputFile(int descriptor, const std::string& name) : path_(name), file_(descriptor) {
  CHECK(descriptor >= 0, "{}: descriptor {}", name, descriptor);
}

OutputFile::~OutputFile() {
  if (file_ >= 0) ::close(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::fail(int error_number) const {
  throw Error("{}: cannot write: {}", path_.string(), errno_text(error_number));
}

void OutputFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void OutputFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
}

void OutputFile::write_zeros(std::uint64_t count) {
  struct stat status = {};
  if (::fstat(file_, &status) == 0 && S_ISREG(status.st_mode)) {
    const off_t end = ::lseek(file_, static_cast<off_t>(count), SEEK_CUR);
    if (end < 0 || ::ftruncate(file_, end) != 0) fail(errno);
    return;
  }
  constexpr std::size_t kPiece = 4096;
  constexpr std::byte zeros[kPiece] = {};
  for (; count > 0; count -= std::min<std::uint64_t>(count, kPiece)) {
    write({zeros, static_cast<std::size_t>(std::min<std::uint64_t>(count, kPiece))});
  }
}

void OutputFile::finish() {
  CHECK(file_ >= 0, "{} finished twice", path_.string());
  // Devices and pipes cannot be synced, and need not be.
  if (!temporary_.empty() && ::fsync(file_) != 0) fail(errno);
  if (::close(std::exchange(file_, -1)) != 0) fail(errno);
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
}

}  // namespace pleiad
