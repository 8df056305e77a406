#include "synthetic/block_stream.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace pleiad::synthetic {
namespace {

constexpr std::size_t kPieceBytes = 1 << 20;

}  // namespace

std::uint64_t byte_size(const SyntheticTensor& tensor) {
  const auto cols = static_cast<std::size_t>(tensor.shape.back());
  return static_cast<std::uint64_t>(element_count(tensor.shape)) / cols *
         row_bytes(tensor.type, cols);
}

BlockStream::BlockStream(const std::vector<SyntheticTensor>& tensors, std::uint64_t seed,
                         int n_threads, const Skip& skip) {
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!skip(tensors[i])) add_pieces(tensors[i], mix(seed, i), sizes);
  }
  stream_.emplace(std::move(sizes), n_threads, [this](std::size_t index, std::span<std::byte> out) {
    make(pieces_[index], out);
  });
}

void BlockStream::add_pieces(const SyntheticTensor& tensor, std::uint64_t key,
                             std::vector<std::size_t>& sizes) {
  const auto block_bytes = static_cast<std::size_t>(traits(tensor.type).block_bytes);
  const std::size_t most = kPieceBytes / block_bytes * block_bytes;
  const std::uint64_t size = byte_size(tensor);
  CHECK(tensor.given.empty() || size <= most, "{}: {} bytes given", tensor.name, size);
  blocks_.emplace_back(tensor.type, tensor.mean, tensor.deviation);
  for (std::uint64_t at = 0; at < size; at += most) {
    pieces_.push_back({&tensor, blocks_.size() - 1, mix(key, at)});
    sizes.push_back(static_cast<std::size_t>(std::min<std::uint64_t>(most, size - at)));
  }
}

void BlockStream::make(const Piece& piece, std::span<std::byte> out) const noexcept {
  if (piece.tensor->given.empty()) {
    blocks_[piece.blocks].fill(piece.key, out);
  } else {
    std::memcpy(out.data(), piece.tensor->given.data(), out.size());
  }
}

}  // namespace pleiad::synthetic
