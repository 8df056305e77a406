#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace pleiad::constrain {

/// Room for runs of elements that stay where they are until all are given up at once. What was
/// given up is used again: to get and to give back some kilobytes for each of some thousand runs
/// takes a millisecond.
template <typename T>
class SteadyMemory {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  /// `most_kept`: beyond so many elements, memory that was given up goes back to the system.
  explicit SteadyMemory(std::size_t most_kept) : most_kept_(most_kept) {}

  /// Elements of any value.
  std::span<T> add(std::size_t n) {
    while (at_ < pieces_.size() && pieces_[at_].size - used_ < n) {
      ++at_;
      used_ = 0;
    }
    if (at_ == pieces_.size()) add_piece(n);
    const std::span<T> out(pieces_[at_].elements.get() + used_, n);
    used_ += n;
    return out;
  }

  /// All runs are given up.
  void clear() {
    while (n_elements_ > most_kept_) {
      n_elements_ -= pieces_.back().size;
      pieces_.pop_back();
    }
    at_ = 0;
    used_ = 0;
  }

  std::size_t memory_bytes() const {
    return n_elements_ * sizeof(T) + pieces_.capacity() * sizeof(Piece);
  }

 private:
  struct Piece {
    std::unique_ptr<T[]> elements;
    std::size_t size = 0;
  };

  /// The first pieces are small: most forms need little.
  void add_piece(std::size_t n) {
    constexpr std::size_t kLeast = std::size_t{4096} / sizeof(T);
    constexpr std::size_t kMost = std::size_t{65'536} / sizeof(T);
    const std::size_t size = std::max(n, std::clamp(n_elements_, kLeast, kMost));
    pieces_.push_back({std::make_unique_for_overwrite<T[]>(size), size});
    n_elements_ += size;
  }

  std::size_t most_kept_;
  std::vector<Piece> pieces_;
  std::size_t n_elements_ = 0;  // in these
  std::size_t at_ = 0;          // the piece that is being filled, of which
  std::size_t used_ = 0;        // are
};

}  // namespace pleiad::constrain
