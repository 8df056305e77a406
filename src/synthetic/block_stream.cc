#include "synthetic/block_stream.h"

#include <algorithm>
#include <cstring>
#include <system_error>

#include "base/check.h"
#include "base/error.h"

namespace pleiad::synthetic {
namespace {

constexpr std::size_t kPieceBytes = 1 << 20;
constexpr int kSlotsPerThread = 3;

}  // namespace

std::uint64_t byte_size(const SyntheticTensor& tensor) {
  const auto cols = static_cast<std::size_t>(tensor.shape.back());
  return static_cast<std::uint64_t>(element_count(tensor.shape)) / cols *
         row_bytes(tensor.type, cols);
}

BlockStream::BlockStream(const std::vector<SyntheticTensor>& tensors, std::uint64_t seed,
                         int n_threads, const Skip& skip) {
  CHECK(n_threads >= 1, "{} threads", n_threads);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!skip(tensors[i])) add_pieces(tensors[i], mix(seed, i));
  }
  slots_.resize(static_cast<std::size_t>(n_threads) * kSlotsPerThread);
  for (Slot& slot : slots_) slot.bytes.resize(kPieceBytes);
  try {
    for (int i = 0; i < n_threads; ++i) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error& error) {
    if (threads_.empty()) throw Error("cannot start a thread: {}", error.code().message());
  }
}

BlockStream::~BlockStream() { stop(); }

void BlockStream::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void BlockStream::add_pieces(const SyntheticTensor& tensor, std::uint64_t key) {
  const auto block_bytes = static_cast<std::size_t>(traits(tensor.type).block_bytes);
  const std::size_t most = kPieceBytes / block_bytes * block_bytes;
  const std::uint64_t size = byte_size(tensor);
  CHECK(tensor.given.empty() || size <= most, "{}: {} bytes given", tensor.name, size);
  blocks_.emplace_back(tensor.type, tensor.mean, tensor.deviation);
  for (std::uint64_t at = 0; at < size; at += most) {
    const auto piece_size = static_cast<std::size_t>(std::min<std::uint64_t>(most, size - at));
    pieces_.push_back({&tensor, blocks_.size() - 1, mix(key, at), piece_size});
  }
}

void BlockStream::make(const Piece& piece, std::span<std::byte> out) const noexcept {
  if (piece.tensor->given.empty()) {
    blocks_[piece.blocks].fill(piece.key, out);
  } else {
    std::memcpy(out.data(), piece.tensor->given.data(), out.size());
  }
}

void BlockStream::work() noexcept {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] {
      return stopping_ || next_made_ == pieces_.size() || next_made_ < n_freed_ + slots_.size();
    });
    if (stopping_ || next_made_ == pieces_.size()) return;
    const std::size_t index = next_made_++;
    Slot& slot = slots_[index % slots_.size()];
    lock.unlock();
    make(pieces_[index], std::span(slot.bytes).first(pieces_[index].size));
    lock.lock();
    slot.ready = true;
    changed_.notify_all();
  }
}

std::span<const std::byte> BlockStream::next() {
  std::unique_lock lock(mutex_);
  CHECK(next_read_ < pieces_.size(), "read past the end");
  if (next_read_ > 0) {
    slots_[(next_read_ - 1) % slots_.size()].ready = false;
    n_freed_ = next_read_;
    changed_.notify_all();
  }
  Slot& slot = slots_[next_read_ % slots_.size()];
  changed_.wait(lock, [&] { return slot.ready; });
  return std::span<const std::byte>(slot.bytes).first(pieces_[next_read_++].size);
}

}  // namespace pleiad::synthetic
