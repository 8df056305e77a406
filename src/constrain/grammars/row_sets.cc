#include "constrain/grammars/row_sets.h"

#include "constrain/grammars/follow_kinds.h"
#include "constrain/mix_hash.h"
#include "sampling/token_constraint.h"

namespace pleiad::constrain::grammars {
namespace {

/// So many sets remember what reading gave; the others read again. A table begins with half of
/// them free.
constexpr std::size_t kMaxRememberedSets = 8'000;
/// Of a set in ids_, about.
constexpr std::size_t kIndexBytes = 48;

}  // namespace

RowSets::RowSets(const Network& network, std::size_t most_items)
    : network_(network),
      most_items_(most_items),
      follow_(follow_kinds(network)),
      parser_(network) {}

bool RowSets::make_room() {
  if (sets_.size() <= kMaxRememberedSets / 2 && n_held() <= most_items_ / 4) return false;
  clear();
  return true;
}

void RowSets::clear() {
  sets_.clear();
  n_items_ = 0;
  set_bytes_ = 0;
  ids_.clear();
  parser_.stacks().clear();
}

RowSets::Id RowSets::begin(const Item& item) {
  parser_.allow_steps(steps_left_);
  parser_.begin(item, scratch_);
  steps_left_ = parser_.steps_left();
  return scratch_.alive() ? intern(scratch_, follow_[item.state]) : kDead;
}

RowSets::Id RowSets::read(Id from, Symbol symbol) {
  if (steps_left_ == 0) {
    throw sampling::ConstraintError("the grammar takes too many steps to follow at one place");
  }
  --steps_left_;
  const auto index = static_cast<std::size_t>(from);
  const bool remembers = sets_[index].memory.is_kept();
  if (remembers) {
    const Id known = sets_[index].memory.after(symbol);
    if (known != ReadMemory::kUnknown) return known;
  }
  parser_.allow_steps(steps_left_);
  parser_.read(sets_[index].row, symbol, scratch_);
  steps_left_ = parser_.steps_left();
  if (n_held() > most_items_) {
    throw sampling::ConstraintError("the grammar leaves too much open to follow");
  }
  const Id reached = scratch_.alive() ? intern(scratch_, sets_[index].follow) : kDead;
  if (remembers) sets_[index].memory.remember(symbol, reached);
  return reached;
}

void RowSets::prepare(Set& set) const {
  set.memory.keep();
  for (const Item& item : set.row.readers) {
    for (const Network::Edge& edge : network_.states[item.state].edges) {
      set.memory.add_edge(edge.first, edge.last);
    }
  }
  for (const Item& item : set.row.readers) {
    if (item.longest == kNoLongest) continue;
    for (const Network::Edge& edge : network_.states[item.longest].edges) {
      set.memory.tell_apart(edge.first, edge.last);
    }
  }
}

KindSet RowSets::read_by(StateId longest) {
  const auto [found, is_new] = read_by_.try_emplace(longest, 0);
  if (is_new) found->second = kinds_read_by(network_, longest);
  return found->second;
}

RowSets::Id RowSets::intern(const Row& row, KindSet follow) {
  std::uint64_t hash = mix_hash(row.reached.size(), follow);
  for (const Item& item : row.reached) {
    hash = mix_hash(mix_hash(mix_hash(hash, item.state), item.node), item.longest);
  }
  const auto [begin, end] = ids_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    const Set& known = set(it->second);
    if (known.follow == follow && known.row.reached == row.reached) return it->second;
  }
  const auto id = static_cast<Id>(sets_.size());
  n_items_ += row.reached.size() + row.readers.size() + row.left.size();
  if (n_held() > most_items_) {
    throw sampling::ConstraintError("the grammar leaves too much open to follow");
  }
  Set& made = sets_.emplace_back();
  made.row = row;
  made.follow = follow;
  for (const StateId longest : row.left) made.behind_end |= follow & ~read_by(longest);
  if (sets_.size() <= kMaxRememberedSets) prepare(made);
  set_bytes_ += sizeof(Set) + kIndexBytes +
                (made.row.reached.size() + made.row.readers.size()) * sizeof(Item) +
                made.row.left.size() * sizeof(StateId) + made.memory.memory_bytes();
  ids_.emplace(hash, id);
  return id;
}

}  // namespace pleiad::constrain::grammars
