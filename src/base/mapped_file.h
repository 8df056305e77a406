#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace pleiad {

/// A whole file mapped read-only into memory; the bytes live as long as the
/// object. Pages are read from disk when they are touched.
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

  /// Tells the kernel that [bytes] (a part of this file) is read at random
  /// places, so that it does not read ahead.
  void advise_random(std::span<const std::byte> bytes) const;

  /// Gives the resident pages of [bytes] back; later reads fetch them again.
  void drop_pages(std::span<const std::byte> bytes) const;

 private:
  std::filesystem::path path_;
  std::span<const std::byte> bytes_;
};

/// Reads mapped bytes from disk into the page cache and into this process, and
/// waits for them. Bytes that cannot be had now are read when they are touched.
void prefetch_pages(std::span<const std::byte> bytes);

/// Asks for the pages that mapped bytes lie in and does not wait: the disk reads them into the
/// page cache meanwhile. Half a microsecond where they are there already.
void request_pages(std::span<const std::byte> bytes);

}  // namespace pleiad
