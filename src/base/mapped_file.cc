#include "base/mapped_file.h"

#include <cerrno>
#include <utility>

#include "base/error.h"
#include "base/os/file.h"
#include "base/os/memory.h"

namespace pleiad {

MappedFile::Descriptor::~Descriptor() {
  if (fd_ >= 0) os::close(fd_);
}

MappedFile::MappedFile(const std::filesystem::path& path)
    : path_(path), file_(os::open_to_read(path)) {
  if (file_.get() < 0) {
    throw LoadError("{}: cannot open: {}", path.string(), errno_text(errno));
  }
  const auto version = FileVersion::of(file_.get());
  if (!version) {
    throw LoadError("{}: cannot read its size: {}", path.string(), errno_text(errno));
  }
  look_->version = *version;
  if (version->kind == os::FileKind::folder) {
    throw LoadError("{}: expected a file, found a folder", path.string());
  }
  if (version->kind != os::FileKind::regular) {
    throw LoadError("{}: expected a regular file, found a device, pipe or socket", path.string());
  }
  const auto size = static_cast<std::size_t>(version->bytes);
  if (size == 0) return;
  const std::byte* address = os::map_file(file_.get(), size);
  if (address == nullptr) {
    throw LoadError("{}: cannot map {} bytes into memory: {}", path.string(), size,
                    errno_text(errno));
  }
  bytes_ = {address, size};
  guard_ = std::make_unique<MappingGuard>(bytes_);
}

MappedFile::~MappedFile() {
  guard_.reset();  // before something else may lie there
  if (!bytes_.empty()) os::unmap_file(bytes_);
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
  os::expect_random_reads(bytes);
}

void MappedFile::drop_pages(std::span<const std::byte> bytes) const { os::drop_pages(bytes); }

void prefetch_pages(std::span<const std::byte> bytes) { os::fetch_pages(bytes); }

void request_pages(std::span<const std::byte> bytes) { os::request_pages(bytes); }

}  // namespace pleiad
