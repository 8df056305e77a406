#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "constrain/grammars/network.h"
#include "constrain/grammars/parser.h"
#include "constrain/tokens/hash_index.h"
#include "constrain/tokens/read_sets.h"

namespace pleiad::constrain::grammars {

/// The rows that reading tokens leads through, above a node that is not known: what a symbol makes
/// of each, found out once for all symbols that a grammar treats alike.
class RowSets final : public ReadSets {
 public:
  /// `most_items`: in all sets, with their frames, some 30 bytes each. What needs more is given up
  /// with a sampling::ConstraintError, and so is what takes more than allow_steps().
  RowSets(const Network& network, std::size_t most_items);

  /// The set that begins with an item of this state (see Item::longest), whose rule returns to the
  /// first of `returns`, that one's rule to the next and so on; where the last rule returns to is
  /// not known, or it is the bottom where the last return is kNowhere. kDead where it can read
  /// nothing and has not ended.
  Id begin(StateId state, StateId longest, std::span<const StateId> returns);
  bool has_room() const override { return n_held() <= most_items_ / 2; }
  void spend_walk(std::uint64_t n_nodes) override { spend(n_nodes); }
  const Row& row(Id id) const { return set(id).row; }
  /// Facts::behind_end of one of its row's `left`.
  KindSet behind_end(Id id, StateId longest) { return set(id).follow & ~read_by(longest); }

  /// From now on: nodes that are walked, symbols that are read, and items that are looked at.
  void allow_steps(std::uint64_t n) { steps_left_ = n; }
  std::uint64_t steps_left() const { return steps_left_; }
  /// Before a table is made, which keeps ids from here on: forgets all where that is much, and
  /// gives true then.
  bool make_room();
  void clear();
  std::size_t memory_bytes() const {
    return set_bytes() + row_bytes_ + ids_.memory_bytes() +
           (follow_.size() + read_by_.size()) * sizeof(KindSet);
  }

 private:
  static constexpr KindSet kUnasked = ~KindSet{0};

  struct Set {
    Row row;
    KindSet follow = 0;  // behind the rule that the set is in
  };

  const Set& set(Id id) const { return sets_[static_cast<std::size_t>(id)]; }
  Id find_after(Id from, Symbol symbol) override;
  static std::uint64_t hash_of(const Row& row, KindSet follow);
  Id find(std::uint64_t hash, const Row& row, KindSet follow) const;
  Id intern(const Row& row, KindSet follow);
  ReadMemory memory_of(const Row& row);
  void spend(std::uint64_t steps);
  KindSet read_by(StateId longest);
  std::size_t n_held() const { return n_items_ + parser_.stacks().n_frames(); }

  const Network& network_;
  std::size_t most_items_;
  std::uint64_t steps_left_ = 0;
  std::vector<KindSet> follow_;   // of each state
  std::vector<KindSet> read_by_;  // the same, kUnasked where it was not asked for
  Parser parser_;
  std::vector<Set> sets_;
  std::size_t n_items_ = 0;    // in sets_
  std::size_t row_bytes_ = 0;  // of these; stacks are not counted
  HashIndex ids_;
  Row scratch_;
};

}  // namespace pleiad::constrain::grammars
