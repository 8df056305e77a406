#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "synthetic/random_blocks.h"
#include "synthetic/tensors.h"

namespace pleiad::synthetic {

/// Bytes of a tensor's data.
std::uint64_t byte_size(const SyntheticTensor& tensor);

/// The data of tensors one after the other, in pieces of about a megabyte that
/// threads make ahead of the reader, each in a slot of a ring. A piece follows
/// from the seed, the tensor's place and its own place alone.
class BlockStream {
 public:
  using Skip = std::function<bool(const SyntheticTensor&)>;

  /// `tensors` must outlive the stream; those that `skip` is true for are left
  /// out. Throws Error where no thread can be started; fewer than asked are fine.
  BlockStream(const std::vector<SyntheticTensor>& tensors, std::uint64_t seed, int n_threads,
              const Skip& skip);
  ~BlockStream();
  BlockStream(const BlockStream&) = delete;
  BlockStream& operator=(const BlockStream&) = delete;

  /// The next piece, which never spans two tensors; valid until the next call.
  std::span<const std::byte> next();

 private:
  struct Piece {
    const SyntheticTensor* tensor;
    std::size_t blocks;  // place in blocks_
    std::uint64_t key;
    std::size_t size;  // bytes
  };
  struct Slot {
    std::vector<std::byte> bytes;
    bool ready = false;
  };

  void add_pieces(const SyntheticTensor& tensor, std::uint64_t key);
  void make(const Piece& piece, std::span<std::byte> out) const noexcept;
  void work() noexcept;
  void stop();

  std::vector<RandomBlocks> blocks_;  // one a tensor
  std::vector<Piece> pieces_;
  std::vector<Slot> slots_;  // piece i lies in slot i % slots_.size()

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_made_ = 0;  // first piece that no thread has taken
  std::size_t next_read_ = 0;  // first piece that next() has not given yet
  std::size_t n_freed_ = 0;    // pieces whose slots are free again
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace pleiad::synthetic
