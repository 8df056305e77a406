#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "base/file_changed_error.h"
#include "base/file_version.h"
#include "base/mapping_guard.h"

namespace pleiad {

/// A whole file mapped read-only into memory; the bytes live as long as the
/// object. Pages are read from disk when they are touched.
///
/// Others may write to the file meanwhile: then bytes change, or become zeros where it was cut
/// off, at any moment. So what is checked is not read a second time, and what was made of the
/// bytes counts only once check_unchanged() has been called. A file that is replaced or removed
/// (mv, rm) stays as it was.
class MappedFile {
 public:
  /// Throws LoadError that names the path: missing, unreadable, a folder, not a
  /// regular file. An empty file gives an empty span.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }
  const std::filesystem::path& path() const { return path_; }

  /// Throws FileChangedError where the file was written to since it was opened, or pages of it
  /// could not be read. Costs a system call. Any number of threads may ask.
  void check_unchanged() const;

  /// Tells the kernel that [bytes] (a part of this file) is read at random
  /// places, so that it does not read ahead.
  void advise_random(std::span<const std::byte> bytes) const;

  /// Gives the resident pages of [bytes] back; later reads fetch them again.
  void drop_pages(std::span<const std::byte> bytes) const;

 private:
  /// Closes what it owns.
  class Descriptor {
   public:
    explicit Descriptor(int fd = -1) : fd_(fd) {}
    ~Descriptor();
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
      std::swap(fd_, other.fd_);
      return *this;
    }
    int get() const { return fd_; }

   private:
    int fd_;
  };

  std::filesystem::path path_;
  Descriptor file_;  // stays open, to look at what was opened and not at what has its name
  /// What the last look at it saw.
  struct Look {
    std::mutex mutex;
    FileVersion version;
  };
  std::unique_ptr<Look> look_ = std::make_unique<Look>();
  std::span<const std::byte> bytes_;
  std::unique_ptr<MappingGuard> guard_;
};

/// Runs `work`, which reads `source`, and gives its result. Where `source` was changed meanwhile
/// that is the error, whatever `work` says of what it found. `source` has check_unchanged().
template <typename Source, typename Work>
auto read_unchanged(const Source& source, Work&& work) {
  try {
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      source.check_unchanged();
    } else {
      auto result = work();
      source.check_unchanged();
      return result;
    }
  } catch (...) {
    source.check_unchanged();
    throw;
  }
}

/// Reads mapped bytes from disk into the page cache and into this process, and
/// waits for them. Bytes that cannot be had now are read when they are touched.
void prefetch_pages(std::span<const std::byte> bytes);

/// Asks for the pages that mapped bytes lie in and does not wait: the disk reads them into the
/// page cache meanwhile. Half a microsecond where they are there already.
void request_pages(std::span<const std::byte> bytes);

}  // namespace pleiad
