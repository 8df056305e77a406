#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/os/memory.h"

namespace pleiad::cpu {

using os::PageSize;

/// Zeroed memory straight from the system, in huge pages where it has them: a
/// weight matrix is read from end to end for every token, and small pages cost a
/// tenth of the bandwidth. Pages take memory when they are first written. Aligned
/// to 2 MiB.
class HugeMemory {
 public:
  HugeMemory() = default;
  /// Throws NoMemoryError.
  explicit HugeMemory(std::size_t bytes, PageSize pages = PageSize::huge);

  std::byte* data() const { return memory_.get(); }
  std::size_t size() const { return size_; }  // a multiple of 2 MiB

 private:
  struct Unmap {
    std::size_t bytes;
    void operator()(std::byte* memory) const;
  };
  std::unique_ptr<std::byte, Unmap> memory_;
  std::size_t size_ = 0;
};

/// Gives out pieces of large HugeMemory blocks. A block is freed with the last
/// piece: weights of several models come and go, hence the shared ownership.
class HugeArena {
 public:
  struct Piece {
    std::byte* data = nullptr;
    std::shared_ptr<const HugeMemory> block;
  };

  /// Zeroed, aligned to a cache line. Throws NoMemoryError.
  Piece allocate(std::size_t bytes);

  /// What was given out of every block that still is.
  std::vector<std::span<const std::byte>> given_out() const;

 private:
  struct FullBlock {
    std::weak_ptr<const HugeMemory> memory;
    std::size_t used;
  };
  std::vector<FullBlock> full_;
  std::shared_ptr<const HugeMemory> block_;
  std::size_t used_ = 0;
};

}  // namespace pleiad::cpu
