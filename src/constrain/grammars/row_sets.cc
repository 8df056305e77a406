#include "constrain/grammars/row_sets.h"

#include <algorithm>

#include "constrain/grammars/follow_kinds.h"
#include "constrain/mix_hash.h"
#include "sampling/token_constraint.h"

namespace pleiad::constrain::grammars {
namespace {

/// So many sets remember what reading gave; the others read again. A table begins with half of
/// them free.
constexpr std::size_t kMaxRememberedSets = 8'000;

}  // namespace

RowSets::RowSets(const Network& network, std::size_t most_items)
    : ReadSets(kMaxRememberedSets),
      network_(network),
      most_items_(most_items),
      follow_(follow_kinds(network)),
      read_by_(network.states.size(), kUnasked),
      parser_(network) {}

bool RowSets::make_room() {
  if (sets_.size() <= kMaxRememberedSets / 2 && n_held() <= most_items_ / 4) return false;
  clear();
  return true;
}

void RowSets::clear() {
  sets_.clear();
  clear_sets();
  n_items_ = 0;
  row_bytes_ = 0;
  ids_.clear();
  parser_.stacks().clear();
}

RowSets::Id RowSets::begin(StateId state, StateId longest, std::span<const StateId> returns) {
  NodeId node = StackGraph::kBottom;
  KindSet follow = follow_[state];
  for (auto back = returns.rbegin(); back != returns.rend(); ++back) {
    std::vector<StackGraph::Frame> frames = {{*back, node}};
    node = parser_.stacks().intern(frames);
  }
  if (!returns.empty()) {
    follow = returns.back() == StackGraph::kNowhere ? 0 : follow_[returns.back()];
  }
  parser_.allow_steps(steps_left_);
  parser_.begin({state, node, longest}, scratch_);
  steps_left_ = parser_.steps_left();
  return scratch_.alive() ? intern(scratch_, follow) : kDead;
}

void RowSets::spend(std::uint64_t steps) {
  if (steps > steps_left_) {
    throw sampling::ConstraintError("the grammar takes too many steps to follow at one place");
  }
  steps_left_ -= steps;
}

RowSets::Id RowSets::find_after(Id from, Symbol symbol) {
  spend(1);
  parser_.allow_steps(steps_left_);
  parser_.reach(row(from), symbol, scratch_);
  // What is reached tells all of a row: mostly it is one that was there before.
  const KindSet follow = set(from).follow;
  const Id known = find(hash_of(scratch_, follow), scratch_, follow);
  if (known == kDead) parser_.close(scratch_);
  steps_left_ = parser_.steps_left();
  if (known != kDead) return known;
  if (n_held() > most_items_) {
    throw sampling::ConstraintError("the grammar leaves too much open to follow");
  }
  return scratch_.alive() ? intern(scratch_, follow) : kDead;
}

ReadMemory RowSets::memory_of(const Row& row) {
  ReadMemory memory = new_memory();
  if (!memory.is_kept()) return memory;
  for (const Item& item : row.readers) {
    for (const Network::Edge& edge : network_.states[item.state].edges) {
      memory.add_edge(edge.first, edge.last);
    }
  }
  StateId last = kNoLongest;
  for (const Item& item : row.readers) {
    if (item.longest == last) continue;  // they come together
    last = item.longest;
    if (last == kNoLongest) continue;
    for (const Network::Edge& edge : network_.states[item.longest].edges) {
      memory.tell_apart(edge.first, edge.last);
    }
  }
  return memory;
}

KindSet RowSets::read_by(StateId longest) {
  if (longest == kNoLongest) return 0;
  if (read_by_[longest] == kUnasked) read_by_[longest] = kinds_read_by(network_, longest);
  return read_by_[longest];
}

std::uint64_t RowSets::hash_of(const Row& row, KindSet follow) {
  std::uint64_t hash = mix_hash(row.reached.size(), follow);
  for (const Item& item : row.reached) {
    hash = mix_hash(mix_hash(mix_hash(hash, item.state), item.node), item.longest);
  }
  return hash;
}

/// kDead where there is none such.
RowSets::Id RowSets::find(std::uint64_t hash, const Row& row, KindSet follow) const {
  static_assert(HashIndex::kNone == kDead);
  return ids_.find(hash, [&](Id id) {
    const Set& known = set(id);
    return known.follow == follow && known.row.reached == row.reached;
  });
}

RowSets::Id RowSets::intern(const Row& row, KindSet follow) {
  const std::uint64_t hash = hash_of(row, follow);
  if (const Id known = find(hash, row, follow); known != kDead) return known;
  const auto id = static_cast<Id>(sets_.size());
  n_items_ += row.reached.size() + row.readers.size() + row.left.size();
  if (n_held() > most_items_) {
    throw sampling::ConstraintError("the grammar leaves too much open to follow");
  }
  Set& made = sets_.emplace_back();
  made.row = row;
  made.follow = follow;
  Facts facts;
  for (const StateId longest : row.left) facts.behind_end |= follow & ~read_by(longest);
  facts.n_ways = static_cast<std::uint32_t>(std::max<std::size_t>(1, row.readers.size()));
  row_bytes_ += sizeof(Set) + (made.row.reached.size() + made.row.readers.size()) * sizeof(Item) +
                made.row.left.size() * sizeof(StateId);
  add_set(facts, memory_of(row));
  ids_.add(hash, id);
  return id;
}

}  // namespace pleiad::constrain::grammars
