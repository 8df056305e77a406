#pragma once

#include <filesystem>

namespace pleiad::store {

/// Held while our own store changes, so that no other process and no other thread does
/// the same: a lock on the file `lock` in its folder. Reading needs none.
class StoreLock {
 public:
  /// Makes the folder. Waits for others; throws Error.
  explicit StoreLock(const std::filesystem::path& store);
  ~StoreLock();
  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;

 private:
  int file_ = -1;
};

/// As flock() does, though signals come; 0, or the number of the error.
int lock_open_file(int file, int how);

/// Throws Error where no place for our own store is known.
void require_root(const std::filesystem::path& store);

/// Makes a folder and those above it; throws Error that names it.
void make_folder(const std::filesystem::path& path);

}  // namespace pleiad::store
