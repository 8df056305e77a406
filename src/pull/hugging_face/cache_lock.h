#pragma once

#include <filesystem>
#include <functional>
#include <utility>

#include "base/result.h"

namespace pleiad::pull::hugging_face {

/// Held while a file of the cache is downloaded, so that no other process and no other thread does
/// the same, be it ours or one of Python: a lock (flock) on the file that Python's filelock locks.
class CacheLock {
 public:
  /// Makes the file and its folders. Waits for who has it, as long as `stop` does not say
  /// otherwise; `waiting` is told once that it does. A Failure names the file.
  static Result<CacheLock> take(const std::filesystem::path& path,
                                const std::function<bool()>& stop,
                                const std::function<void()>& waiting);

  ~CacheLock();
  CacheLock(CacheLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  CacheLock& operator=(CacheLock&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  CacheLock(const CacheLock&) = delete;
  CacheLock& operator=(const CacheLock&) = delete;

 private:
  explicit CacheLock(int file) : file_(file) {}

  int file_ = -1;
};

}  // namespace pleiad::pull::hugging_face
