#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/piece_stream.h"
#include "synthetic/random_blocks.h"
#include "synthetic/tensors.h"

namespace pleiad::synthetic {

/// Bytes of a tensor's data.
std::uint64_t byte_size(const SyntheticTensor& tensor);

/// The data of tensors one after the other, in pieces of about a megabyte that
/// threads make ahead of the reader. A piece follows from the seed, the tensor's
/// place and its own place alone.
class BlockStream {
 public:
  using Skip = std::function<bool(const SyntheticTensor&)>;

  /// `tensors` must outlive the stream; those that `skip` is true for are left
  /// out. Throws Error where no thread can be started; fewer than asked are fine.
  BlockStream(const std::vector<SyntheticTensor>& tensors, std::uint64_t seed, int n_threads,
              const Skip& skip);

  /// The next piece, which never spans two tensors; valid until the next call.
  std::span<const std::byte> next() { return stream_->next(); }

 private:
  struct Piece {
    const SyntheticTensor* tensor;
    std::size_t blocks;  // place in blocks_
    std::uint64_t key;
  };

  void add_pieces(const SyntheticTensor& tensor, std::uint64_t key,
                  std::vector<std::size_t>& sizes);
  void make(const Piece& piece, std::span<std::byte> out) const noexcept;

  std::vector<RandomBlocks> blocks_;  // one a tensor
  std::vector<Piece> pieces_;
  std::optional<PieceStream> stream_;
};

}  // namespace pleiad::synthetic
