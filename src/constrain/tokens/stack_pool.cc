#include "constrain/tokens/stack_pool.h"

#include <algorithm>
#include <compare>
#include <tuple>

#include "constrain/mix_hash.h"
#include "sampling/token_constraint.h"

namespace pleiad::constrain {
namespace {

/// The order of a set's topmost frames, of which no two return to the same.
auto returns_to(const StackPool::Frame& frame) {
  return std::tuple(frame.back, frame.counter.need, frame.counter.room);
}

}  // namespace

StackPool::StackPool() { clear(); }

void StackPool::clear() {
  frames_.assign(1, {});
  depths_.assign(1, 0);
  ids_.clear();
  joined_.clear();
  n_used_ = 0;
}

void StackPool::forget_since(std::size_t size) {
  if (frames_.size() > size) joined_.clear();
  while (frames_.size() > size) {
    ids_.erase(frames_.back());
    frames_.pop_back();
    depths_.pop_back();
  }
}

std::size_t StackPool::FrameHash::operator()(const Frame& frame) const {
  std::uint64_t hash = frame.back;
  for (const std::uint32_t part :
       {frame.counter.need, frame.counter.room, frame.below, frame.others}) {
    hash = mix_hash(hash, part);
  }
  return hash;
}

std::size_t StackPool::PairHash::operator()(const Pair& pair) const {
  return mix_hash(pair.first, pair.second);
}

StackId StackPool::id_of(const Frame& frame) {
  const auto [found, is_new] = ids_.try_emplace(frame, static_cast<StackId>(frames_.size()));
  if (!is_new) return found->second;
  if (frames_.size() >= kMostFrames) {
    ids_.erase(found);
    throw sampling::ConstraintError(
        "the form of the reply can be read in too many ways: alternatives that begin alike, nested "
        "in each other");
  }
  frames_.push_back(frame);
  depths_.push_back(depths_[frame.below] + 1);
  return found->second;
}

/// As deep a recursion as the stacks are.
StackId StackPool::join(StackId a, StackId b) {
  if (a == b) return a;
  const Pair pair = std::minmax(a, b);
  if (const auto known = joined_.find(pair); known != joined_.end()) return known->second;
  std::vector<std::pair<Frame, StackId>> tops;  // each with what else is below it
  for (StackId left = a, right = b; left != kBottom || right != kBottom;) {
    const Frame& of_left = frames_[left];
    const Frame& of_right = frames_[right];
    const auto order = left == kBottom    ? std::strong_ordering::greater
                       : right == kBottom ? std::strong_ordering::less
                                          : returns_to(of_left) <=> returns_to(of_right);
    const Frame& first = order <= 0 ? of_left : of_right;
    tops.emplace_back(first, order == 0 ? of_right.below : first.below);
    if (order <= 0) left = of_left.others;
    if (order >= 0) right = of_right.others;
  }
  StackId set = kBottom;
  for (auto at = tops.rbegin(); at != tops.rend(); ++at) {
    const auto& [top, more_below] = *at;
    set = id_of({top.back, top.counter, join(top.below, more_below), set});
  }
  if (joined_.size() >= kMostFrames) joined_.clear();
  joined_.emplace(pair, set);
  return set;
}

void StackPool::use_only(std::span<StackId*> used) {
  std::vector<bool> is_used(frames_.size());
  for (const StackId* stacks : used) is_used[*stacks] = true;
  for (std::size_t id = frames_.size() - 1; id > 0; --id) {
    if (!is_used[id]) continue;
    is_used[frames_[id].below] = true;
    is_used[frames_[id].others] = true;
  }
  std::vector<StackId> numbers(frames_.size(), kBottom);
  number_anew(is_used, numbers);
  for (StackId* stacks : used) *stacks = numbers[*stacks];
  n_used_ = frames_.size();
}

/// Whatever a frame refers to has a lower number.
void StackPool::number_anew(const std::vector<bool>& is_used, std::vector<StackId>& numbers) {
  ids_.clear();
  joined_.clear();
  StackId n = 1;
  for (std::size_t id = 1; id < is_used.size(); ++id) {
    if (!is_used[id]) continue;
    const Frame& old = frames_[id];
    const Frame frame{old.back, old.counter, numbers[old.below], numbers[old.others]};
    frames_[n] = frame;
    depths_[n] = depths_[id];
    ids_.emplace(frame, n);
    numbers[id] = n++;
  }
  frames_.resize(n);
  depths_.resize(n);
}

}  // namespace pleiad::constrain
