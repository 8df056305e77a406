#include "base/piece_stream.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/error.h"

namespace pleiad {
namespace {

constexpr std::size_t kSlotsPerThread = 3;

}  // namespace

PieceStream::PieceStream(std::vector<std::size_t> sizes, int n_threads, Make make)
    : sizes_(std::move(sizes)), make_(std::move(make)) {
  CHECK(n_threads >= 1, "{} threads", n_threads);
  const std::size_t n_useful = std::min(static_cast<std::size_t>(n_threads), sizes_.size());
  slots_.resize(std::min(n_useful * kSlotsPerThread, sizes_.size()));
  const std::size_t largest = sizes_.empty() ? 0 : *std::ranges::max_element(sizes_);
  for (Slot& slot : slots_) slot.bytes.resize(largest);
  try {
    for (std::size_t i = 0; i < n_useful; ++i) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error& error) {
    if (threads_.empty()) throw Error("cannot start a thread: {}", error.code().message());
  }
}

PieceStream::~PieceStream() { stop(); }

void PieceStream::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void PieceStream::work() noexcept {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] {
      return stopping_ || next_made_ == sizes_.size() || next_made_ < n_freed_ + slots_.size();
    });
    if (stopping_ || next_made_ == sizes_.size()) return;
    const std::size_t index = next_made_++;
    Slot& slot = slots_[index % slots_.size()];
    lock.unlock();
    try {
      make_(index, std::span(slot.bytes).first(sizes_[index]));
    } catch (...) {
      slot.error = std::current_exception();
    }
    lock.lock();
    slot.ready = true;
    changed_.notify_all();
  }
}

std::span<const std::byte> PieceStream::next() {
  std::unique_lock lock(mutex_);
  CHECK(next_read_ < sizes_.size(), "read past the end");
  if (next_read_ > 0) {
    slots_[(next_read_ - 1) % slots_.size()].ready = false;
    n_freed_ = next_read_;
    changed_.notify_all();
  }
  Slot& slot = slots_[next_read_ % slots_.size()];
  changed_.wait(lock, [&] { return slot.ready; });
  if (slot.error) std::rethrow_exception(slot.error);
  return std::span<const std::byte>(slot.bytes).first(sizes_[next_read_++]);
}

}  // namespace pleiad
