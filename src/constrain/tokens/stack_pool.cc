#include "constrain/tokens/stack_pool.h"

#include <tuple>

#include "constrain/mix_hash.h"
#include "sampling/token_constraint.h"

namespace pleiad::constrain {
namespace {

constexpr std::size_t kLeastSlots = 64;
constexpr std::uint64_t kStepsOfFrame = 3;  // of a set that is joined

/// The order of a set's topmost frames, of which no two return to the same.
auto returns_to(const StackPool::Frame& frame) {
  return std::tuple(frame.back, frame.counter.need, frame.counter.room);
}

}  // namespace

StackPool::StackPool() { clear(); }

void StackPool::clear() {
  frames_.assign(1, {});
  depths_.assign(1, 0);
  slots_.assign(kLeastSlots, kBottom);
  joined_.clear();
  n_used_ = 0;
}

std::size_t StackPool::memory_bytes() const {
  std::size_t bytes = frames_.capacity() * sizeof(Frame) + slots_.capacity() * sizeof(StackId) +
                      depths_.capacity() * sizeof(std::uint32_t);
  for (const auto& [sets, joined] : joined_) bytes += 64 + sets.capacity() * sizeof(StackId);
  return bytes;
}

/// Where the frame is, or would be.
std::size_t StackPool::slot_of(const Frame& frame) const {
  std::uint64_t hash = frame.back;
  for (const std::uint32_t part :
       {frame.counter.need, frame.counter.room, frame.below, frame.others}) {
    hash = mix_hash(hash, part);
  }
  std::size_t slot = hash & (slots_.size() - 1);
  while (slots_[slot] != kBottom && frames_[slots_[slot]] != frame) {
    slot = (slot + 1) & (slots_.size() - 1);
  }
  return slot;
}

/// A power of two, more than there are frames.
void StackPool::index_all(std::size_t n_slots) {
  slots_.assign(n_slots, kBottom);
  for (StackId id = 1; id < frames_.size(); ++id) slots_[slot_of(frames_[id])] = id;
}

StackId StackPool::id_of(const Frame& frame) {
  std::size_t slot = slot_of(frame);
  if (slots_[slot] != kBottom) return slots_[slot];
  if (frames_.size() >= kMostFrames) {
    throw sampling::ConstraintError(
        "the form of the reply can be read in too many ways: alternatives that begin alike, nested "
        "in each other");
  }
  if (2 * frames_.size() >= slots_.size()) {
    index_all(2 * slots_.size());
    slot = slot_of(frame);
  }
  const auto id = static_cast<StackId>(frames_.size());
  slots_[slot] = id;
  frames_.push_back(frame);
  depths_.push_back(depths_[frame.below] + 1);
  return id;
}

void StackPool::forget_since(std::size_t size) {
  if (frames_.size() > size) joined_.clear();
  while (frames_.size() > size) {
    slots_[slot_of(frames_.back())] = kBottom;
    frames_.pop_back();
    depths_.pop_back();
  }
}

/// As deep a recursion as the stacks are.
StackId StackPool::join(std::vector<StackId> sets) {
  std::ranges::sort(sets);
  sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
  if (sets.size() == 1) return sets.front();
  if (const auto known = joined_.find(sets); known != joined_.end()) return known->second;
  const StackId joined = join_in_order(sets);
  joined_.emplace(std::move(sets), joined);
  return joined;
}

/// What differs below frames that return to the same is joined in its turn; no set is made on the
/// way that is not a part of the whole.
StackId StackPool::join_in_order(const std::vector<StackId>& sets) {
  std::vector<StackId> tops;
  for (StackId at : sets) {
    for (; at != kBottom; at = frames_[at].others) tops.push_back(at);
  }
  n_steps_ += tops.size();
  std::ranges::sort(tops, {}, [&](StackId at) { return returns_to(frames_[at]); });
  StackId set = kBottom;
  while (!tops.empty()) {
    const Frame top = frames_[tops.back()];
    std::vector<StackId> below;
    while (!tops.empty() && returns_to(frames_[tops.back()]) == returns_to(top)) {
      below.push_back(frames_[tops.back()].below);
      tops.pop_back();
    }
    set = id_of({top.back, top.counter, join(std::move(below)), set});
    n_steps_ += kStepsOfFrame;
  }
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
  joined_.clear();
  StackId n = 1;
  for (std::size_t id = 1; id < is_used.size(); ++id) {
    if (!is_used[id]) continue;
    const Frame& old = frames_[id];
    frames_[n] = {old.back, old.counter, numbers[old.below], numbers[old.others]};
    depths_[n] = depths_[id];
    numbers[id] = n++;
  }
  frames_.resize(n);
  depths_.resize(n);
  std::size_t n_slots = slots_.size();
  while (n_slots > kLeastSlots && 8 * std::size_t{n} < n_slots) n_slots /= 2;
  index_all(n_slots);
}

}  // namespace pleiad::constrain
