#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <span>
#include <thread>

#include "download/partial_file.h"

namespace pleiad::download {

/// A thread that adds bytes to a file's SHA-256 while its owner writes them: either takes a
/// processor about as long.
class Hasher {
 public:
  explicit Hasher(PartialFile& file);
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;

  /// Begins with these bytes, which have to stay until wait(), before which nothing else begins.
  void begin(std::span<const std::byte> bytes);
  void wait();

 private:
  void run();

  PartialFile& file_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::span<const std::byte> bytes_;  // empty: nothing to do
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace pleiad::download
