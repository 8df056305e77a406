#include "constrain/grammars/stack_graph.h"

#include <algorithm>

#include "constrain/mix_hash.h"

namespace pleiad::constrain::grammars {

StackGraph::StackGraph() { clear(); }

void StackGraph::clear() {
  frames_.assign(1, {});
  starts_ = {0, 1};
  ids_.clear();
}

NodeId StackGraph::intern(std::vector<Frame>& frames) {
  std::ranges::sort(frames);
  frames.erase(std::unique(frames.begin(), frames.end()), frames.end());
  std::uint64_t hash = frames.size();
  for (const Frame& frame : frames) {
    hash = mix_hash(hash, std::uint64_t{frame.back} << 32 | frame.below);
  }
  const auto [begin, end] = ids_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (std::ranges::equal(this->frames(it->second), frames)) return it->second;
  }
  const auto node = static_cast<NodeId>(starts_.size() - 1);
  frames_.insert(frames_.end(), frames.begin(), frames.end());
  starts_.push_back(frames_.size());
  ids_.emplace(hash, node);
  return node;
}

}  // namespace pleiad::constrain::grammars
