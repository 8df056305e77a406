#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pleiad::constrain {

/// Finds things that have numbers by hashes of them: a table of slots that are tried one behind the
/// other, so that adding one asks for no memory of its own, and forgetting all takes no time.
class HashIndex {
 public:
  using Id = std::int32_t;
  static constexpr Id kNone = -1;

  /// The first of this hash for which is_it(id) holds; or kNone.
  template <typename IsIt>
  Id find(std::uint64_t hash, IsIt is_it) const {
    if (n_ == 0) return kNone;
    for (std::size_t at = place_of(tag_of(hash)); slots_[at].id != kNone; at = next(at)) {
      if (slots_[at].tag == tag_of(hash) && is_it(slots_[at].id)) return slots_[at].id;
    }
    return kNone;
  }

  /// `id` is not negative.
  void add(std::uint64_t hash, Id id) {
    if (2 * (n_ + 1) > slots_.size()) grow();
    put({tag_of(hash), id});
    ++n_;
  }

  void clear() {
    n_ = 0;
    if (slots_.size() > kMostKept) {
      slots_ = std::vector<Slot>(kMostKept);
    } else {
      std::ranges::fill(slots_, Slot());
    }
  }

  std::size_t size() const { return n_; }
  std::size_t memory_bytes() const { return slots_.capacity() * sizeof(Slot); }

 private:
  static constexpr std::size_t kLeast = 16;
  static constexpr std::size_t kMostKept = 16'384;

  struct Slot {
    std::uint32_t tag = 0;
    Id id = kNone;
  };

  static std::uint32_t tag_of(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash >> 32U);
  }
  // There are a power of two.
  std::size_t place_of(std::uint32_t tag) const { return tag & (slots_.size() - 1); }
  std::size_t next(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }

  void put(Slot slot) {
    std::size_t at = place_of(slot.tag);
    while (slots_[at].id != kNone) at = next(at);
    slots_[at] = slot;
  }

  void grow() {
    std::vector<Slot> before(slots_.empty() ? kLeast : 2 * slots_.size());
    before.swap(slots_);
    for (const Slot& slot : before) {
      if (slot.id != kNone) put(slot);
    }
  }

  std::vector<Slot> slots_;
  std::size_t n_ = 0;
};

}  // namespace pleiad::constrain
