#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "constrain/automaton.h"

namespace pleiad::constrain::grammars {

using NodeId = std::uint32_t;

/// Where rules that were called at one place of a text return to: for each of the calls, the state
/// behind it, and the node of its own rule. A rule that is called in several ways at one place is
/// followed once for all of them, so that ambiguity costs no more than the square of the length.
/// Equal nodes are one.
class StackGraph {
 public:
  /// The node of what nothing called.
  static constexpr NodeId kBottom = 0;
  static constexpr StateId kNowhere = UINT32_MAX;

  struct Frame {
    StateId back = kNowhere;  // kNowhere: the return from the bottom
    NodeId below = kBottom;

    auto operator<=>(const Frame&) const = default;
  };

  StackGraph();
  /// The node with these frames, which are put in order for it.
  NodeId intern(std::vector<Frame>& frames);
  std::span<const Frame> frames(NodeId node) const {
    return {frames_.data() + starts_[node], starts_[node + 1] - starts_[node]};
  }
  std::size_t n_frames() const { return frames_.size(); }
  std::size_t n_nodes() const { return starts_.size() - 1; }
  void clear();

 private:
  std::vector<Frame> frames_;
  std::vector<std::size_t> starts_;  // [nodes + 1], into frames_
  std::unordered_multimap<std::uint64_t, NodeId> ids_;
};

}  // namespace pleiad::constrain::grammars
