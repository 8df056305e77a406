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

MappedFile::Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

// O_NONBLOCK: opening a FIFO must fail below, not hang here.
MappedFile::MappedFile(const std::filesystem::path& path)
    : path_(path), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (file_.get() < 0) {
    throw LoadError("{}: cannot open: {}", path.string(), errno_text(errno));
  }
  const auto version = FileVersion::of(file_.get());
  if (!version) {
    throw LoadError("{}: cannot read its size: {}", path.string(), errno_text(errno));
  }
  look_->version = *version;
  if (S_ISDIR(version->mode)) {
    throw LoadError("{}: expected a file, found a folder", path.string());
  }
  if (!S_ISREG(version->mode)) {
    throw LoadError("{}: expected a regular file, found a device, pipe or socket", path.string());
  }
  const auto size = static_cast<std::size_t>(version->bytes);
  if (size == 0) return;
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file_.get(), 0);
  if (address == MAP_FAILED) {
    throw LoadError("{}: cannot map {} bytes into memory: {}", path.string(), size,
                    errno_text(errno));
  }
  bytes_ = {static_cast<const std::byte*>(address), size};
  guard_ = std::make_unique<MappingGuard>(bytes_);
}

MappedFile::~MappedFile() {
  guard_.reset();  // before something else may lie there
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::move(other.file_)),
      look_(std::move(other.look_)),
      bytes_(std::exchange(other.bytes_, {})),
      guard_(std::move(other.guard_)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(file_, other.file_);
  std::swap(look_, other.look_);
  std::swap(bytes_, other.bytes_);
  std::swap(guard_, other.guard_);
  return *this;
}

void MappedFile::check_unchanged() const {
  std::string change;  // without an allocation where there is none: it is asked after each step
  {
    const std::lock_guard lock(look_->mutex);
    const auto now = FileVersion::of(file_.get());
    change = now ? change_since(look_->version, *now, path_)
                 : std::string("the system does not say how it is now");
  }
  if (!change.empty()) {
    throw FileChangedError(
        "{}: changed while it was in use: {}. What was read from it is not used; try again once "
        "the file is complete. To replace a file that may be in use, write the new one beside it "
        "and rename it (mv)",
        path_.string(), change);
  }
  if (guard_ && guard_->lost()) {
    throw FileChangedError(
        "{}: parts of it could not be read while it was in use: the disk or the file system had "
        "an error (the system's log says more)",
        path_.string());
  }
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
