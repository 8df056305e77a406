#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "constrain/automaton.h"

namespace pleiad::constrain {

/// A set of stacks of rules that wait for others to end, all equally deep. By number; equal sets
/// have one.
using StackId = std::uint32_t;

/// The sets of stacks of all ways through one reply. What differs in its stack alone is one way
/// with a set of these: alternatives that begin alike, nested in each other, have stacks by the
/// power of their depth, and sets that are as large as the alternatives are many, and as deep. A
/// set is kept as its topmost frames, each with the set of the stacks below it.
class StackPool {
 public:
  /// The one stack without frames.
  static constexpr StackId kBottom = 0;
  /// What more needs is given up with a sampling::ConstraintError: some 20 MB.
  static constexpr std::size_t kMostFrames = 500'000;

  struct Frame {
    StateId back = 0;
    Counter counter = {};
    StackId below = kBottom;
    StackId others = kBottom;  // the set's other topmost frames, in order; kBottom: there are none

    bool operator==(const Frame&) const = default;
  };

  StackPool();
  /// The stacks of `below`, each with one more frame.
  StackId push(StateId back, const Counter& counter, StackId below) {
    return id_of({back, counter, below, kBottom});
  }
  /// The stacks of all of these, which are some, and equally deep.
  StackId join(std::vector<StackId> sets);
  /// The first of a set's topmost frames; the set is not kBottom.
  const Frame& top(StackId stacks) const { return frames_[stacks]; }
  std::uint32_t depth(StackId stacks) const { return depths_[stacks]; }
  std::size_t size() const { return frames_.size(); }
  std::size_t memory_bytes() const;

  /// What join() took since this was asked for last: frames that were looked at, and several times
  /// as much for each of what came of them.
  std::uint64_t take_steps() { return std::exchange(n_steps_, 0); }
  /// Joins that were made are not remembered any more.
  void forget_joins() { joined_.clear(); }

  void clear();
  /// Whether it is worth its while to forget what is not used.
  bool has_grown() const {
    return frames_.size() >= std::min(std::max(kFew, 2 * n_used_), kMostFrames / 2);
  }
  /// From now on only these are used, which get other numbers, and what is made of them.
  void use_only(std::span<StackId*> used);
  /// All but the first so many, which are used no more.
  void forget_since(std::size_t size);

 private:
  static constexpr std::size_t kFew = 4'000;

  StackId id_of(const Frame& frame);
  StackId join_in_order(const std::vector<StackId>& sets);
  std::size_t slot_of(const Frame& frame) const;
  void index_all(std::size_t n_slots);
  void number_anew(const std::vector<bool>& is_used, std::vector<StackId>& numbers);

  std::vector<Frame> frames_;  // [0] is the bottom
  std::vector<std::uint32_t> depths_;
  /// Frames by their hashes, each in the first free slot behind its own, in the order of their
  /// numbers: so the last ones can be taken out again. kBottom: free.
  std::vector<StackId> slots_;
  std::map<std::vector<StackId>, StackId> joined_;
  std::size_t n_used_ = 0;  // the last time that the others were forgotten
  std::uint64_t n_steps_ = 0;
};

}  // namespace pleiad::constrain
