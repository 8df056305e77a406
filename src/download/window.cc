#include "download/window.h"

#include <chrono>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace pleiad::download {
namespace {

/// What is appended at a time, while it is in the processor's cache.
constexpr std::size_t kAppendAtOnce = std::size_t{256} << 10;

}  // namespace

Window::Window(std::size_t buffer_bytes, std::size_t n_buffers)
    : buffer_bytes_(buffer_bytes), n_buffers_(n_buffers) {}

bool Window::has_room() const {
  const std::lock_guard lock(mutex_);
  return pieces_.size() < n_buffers_;
}

std::size_t Window::backlog() const {
  const std::lock_guard lock(mutex_);
  std::size_t n = 0;
  for (const auto& piece : pieces_) {
    n += piece->filled - piece->taken;
    if (piece->left() > 0) break;
  }
  return n;
}

Piece& Window::add(std::uint64_t offset, std::size_t size) {
  const std::lock_guard lock(mutex_);
  CHECK(pieces_.size() < n_buffers_ && size > 0 && size <= buffer_bytes_);
  CHECK(pieces_.empty() || pieces_.back()->end() == offset);
  std::unique_ptr<std::byte[]> buffer;
  if (idle_.empty()) {
    buffer.reset(new std::byte[buffer_bytes_]);
  } else {
    buffer = std::move(idle_.back());
    idle_.pop_back();
  }
  pieces_.push_back(std::unique_ptr<Piece>(new Piece{offset, size, 0, 0, std::move(buffer)}));
  return *pieces_.back();
}

void Window::shorten(Piece& piece, std::size_t size) {
  const std::lock_guard lock(mutex_);
  CHECK(size > piece.filled && size <= piece.size);
  piece.size = size;
}

bool Window::fill(Piece& piece, std::string_view bytes) {
  CHECK(bytes.size() <= piece.left());
  std::memcpy(piece.buffer.get() + piece.filled, bytes.data(), bytes.size());
  bool is_full = false;
  bool is_worth_it = false;
  {
    const std::lock_guard lock(mutex_);
    piece.filled += bytes.size();
    is_full = piece.left() == 0;
    is_worth_it = &piece == pieces_.front().get() && ready_bytes() > 0;
  }
  if (is_worth_it) changed_.notify_one();
  return is_full;
}

void Window::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_one();
}

std::size_t Window::ready_bytes() const {
  const std::size_t n = waiting_bytes();
  return n >= kAppendAtOnce || closed_ || (n > 0 && pieces_.front()->left() == 0) ? n : 0;
}

std::size_t Window::waiting_bytes() const {
  return pieces_.empty() ? 0 : pieces_.front()->filled - pieces_.front()->taken;
}

std::optional<Window::Ready> Window::next() {
  constexpr std::chrono::milliseconds kPatience(50);
  std::unique_lock lock(mutex_);
  std::size_t n = 0;
  while ((n = ready_bytes()) == 0 && !closed_) {
    if (changed_.wait_for(lock, kPatience) == std::cv_status::no_timeout) continue;
    n = waiting_bytes();
    if (n > 0) break;
  }
  if (n == 0) return std::nullopt;
  Piece& first = *pieces_.front();
  return Ready{&first, {first.buffer.get() + first.taken, n}};
}

bool Window::take(const Ready& ready) {
  const std::lock_guard lock(mutex_);
  Piece& piece = *ready.piece;
  piece.taken += ready.bytes.size();
  if (piece.taken < piece.size) return false;
  idle_.push_back(std::move(piece.buffer));
  pieces_.pop_front();
  return true;
}

}  // namespace pleiad::download
