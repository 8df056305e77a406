#include "sandbox/descriptor.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"

namespace pleiad::sandbox {
namespace {

constexpr int kFirstOwn = 3;

[[noreturn]] void cannot_start() {
  throw Error("a confined process cannot be started: {}", errno_text(errno));
}

/// The same file above the standard ones. A negative one stays what it is.
int above_standard(int fd) {
  if (fd < 0 || fd >= kFirstOwn) return fd;
  const int higher = ::fcntl(fd, F_DUPFD_CLOEXEC, kFirstOwn);
  const int error = errno;
  ::close(fd);
  errno = error;
  return higher;
}

}  // namespace

Descriptor::Descriptor(int fd) : fd_(above_standard(fd)) {
  if (fd_ < 0) cannot_start();
}

void Descriptor::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

Pipe make_pipe() {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) cannot_start();
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

Descriptor file_in_memory(std::string_view bytes) {
  Descriptor file(::memfd_create("sandbox", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  while (!bytes.empty()) {
    const ssize_t n = ::write(file.get(), bytes.data(), bytes.size());
    if (n < 0) cannot_start();
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  constexpr int kSeals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
  if (::lseek(file.get(), 0, SEEK_SET) != 0 || ::fcntl(file.get(), F_ADD_SEALS, kSeals) != 0) {
    cannot_start();
  }
  return file;
}

}  // namespace pleiad::sandbox
