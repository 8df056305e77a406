#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

#include "base/error.h"

namespace pleiad {
namespace {

/// Closes a file descriptor at the end of a scope.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

std::uintptr_t page_size() { return static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE)); }

void advise(std::span<const std::byte> bytes, int advice) {
  if (bytes.empty()) return;
  const std::uintptr_t page = page_size();
  const auto first = reinterpret_cast<std::uintptr_t>(bytes.data());
  // Only whole pages: neighbours may belong to another tensor.
  const std::uintptr_t begin = (first + page - 1) / page * page;
  const std::uintptr_t end = (first + bytes.size()) / page * page;
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, advice);
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) : path_(path) {
  // O_NONBLOCK: opening a FIFO must fail below, not hang here.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) {
    throw LoadError("{}: cannot open: {}", path.string(), errno_text(errno));
  }
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0) {
    throw LoadError("{}: cannot read its size: {}", path.string(), errno_text(errno));
  }
  if (S_ISDIR(status.st_mode)) {
    throw LoadError("{}: expected a file, found a folder", path.string());
  }
  if (!S_ISREG(status.st_mode)) {
    throw LoadError("{}: expected a regular file, found a device, pipe or socket", path.string());
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return;
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (address == MAP_FAILED) {
    throw LoadError("{}: cannot map {} bytes into memory: {}", path.string(), size,
                    errno_text(errno));
  }
  bytes_ = {static_cast<const std::byte*>(address), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)), bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

void MappedFile::advise_random(std::span<const std::byte> bytes) const {
  advise(bytes, MADV_RANDOM);
}

void MappedFile::drop_pages(std::span<const std::byte> bytes) const {
  advise(bytes, MADV_DONTNEED);
}

void prefetch_pages(std::span<const std::byte> bytes) {
#ifdef MADV_POPULATE_READ
  advise(bytes, MADV_POPULATE_READ);
#else
  advise(bytes, MADV_WILLNEED);
#endif
}

void request_pages(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  // Not MADV_POPULATE_READ, which reads one page after the other and waits for each.
  const std::uintptr_t page = page_size();
  const auto first = reinterpret_cast<std::uintptr_t>(bytes.data());
  const std::uintptr_t begin = first / page * page;
  ::madvise(reinterpret_cast<void*>(begin), first + bytes.size() - begin, MADV_WILLNEED);
}

}  // namespace pleiad
