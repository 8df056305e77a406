#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "constrain/tokens/plain_characters.h"
#include "constrain/tokens/read_sets.h"

namespace pleiad::constrain {

/// Any text of these characters, at most so many of them, may follow.
struct PlainText {
  KindSet kinds = 0;
  std::uint32_t most = 0;     // kForever: however many
  std::uint32_t deepest = 0;  // see Threads
  KindSet dead = 0;           // behind any such text these are
  KindSet dead_behind = 0;    // behind `most` of them these are
  /// What may follow where something ends amid such text; see ReadSets.
  KindSet behind_end = 0;

  static constexpr std::uint32_t kForever = PlainReach::kForever;
};

/// Finds how plain text leads on from sets, so that a trie need not be walked below them.
class PlainTexts {
 public:
  using Id = ReadSets::Id;

  /// `longest`: the most symbols of a token. `most_explored`: so many ways, in all sets together,
  /// are looked at to find out whether text may go on from each set; twice as many for a table.
  PlainTexts(ReadSets& sets, std::uint32_t longest, std::size_t most_explored)
      : sets_(sets), longest_(longest), most_explored_(most_explored) {}

  const PlainText& of(Id id);
  /// What is told of the set without reading, where no more than `longest` may follow.
  const PlainReach& reach(Id id);
  /// Whether that is nearly all, so that of(id) is not worth asking.
  static bool tells_enough(const PlainReach& reach);
  /// Whether nearly all plain text may follow.
  static bool allows_nearly_all(const PlainReach& reach) {
    return reach.kinds == kAllKinds && tells_enough(reach);
  }
  /// False where of(id) cannot have all of these kinds.
  bool may_have(Id id, KindSet kinds);

  /// Where texts lead of which only the kinds of characters matter.
  struct Way {
    Id to = 0;
    std::uint32_t n_characters = 0;
    std::uint32_t deepest = 0;  // see Threads
  };
  /// From the set on: as far as all characters of these kinds lead to the same set, nothing has
  /// ended before, and they are no more than so many.
  Way follow(Id id, KindSet kinds, std::uint32_t most_characters);
  /// The kinds of which a character may come next.
  KindSet kinds_next(Id id);

  /// Before a table is made.
  void begin_table() { n_explored_ = 0; }
  /// The sets were forgotten.
  void clear() {
    known_.clear();
    n_steps_ = 0;
  }
  std::size_t memory_bytes() const;

 private:
  static constexpr Id kUnknown = -2;

  /// Some characters of each of these kinds lead to this set.
  struct Step {
    Id to = 0;
    KindSet kinds = 0;
  };
  struct Known {
    /// What any character of each kind leads to; kUnknown where they differ.
    std::array<Id, kKinds> after_kinds;
    bool has_after_kinds = false;
    std::uint32_t deepest_of_kinds = 0;  // see Threads
    bool has_reach = false;
    bool has_plain = false;
    bool was_explored = false;
    KindSet asked = 0;  // by may_have(): of these kinds a character was read,
    KindSet alive = 0;  // which is alive
    PlainReach reach;
    PlainText plain;
    // Of living_kinds():
    KindSet followed = 0;  // kinds that it was asked for; of these
    KindSet living = 0;    // what it gave, and
    std::vector<Step> steps;
    std::uint32_t deepest_of_steps = 0;  // see Threads
  };

  Known& known(Id id);
  PlainText follow_most(Id id);
  const std::array<Id, kKinds>& after_kinds(Id from);
  Id after_kind(Id from, std::size_t kind);
  Id after_spelling(Id from, const std::vector<SymbolRange>& spelling, std::size_t at);
  void note(Id reached);
  bool note_part(Id reached);
  void explore(Id id);
  bool explore(Id id, PlainText& found);
  KindSet living_kinds(Id from, KindSet kinds);
  void add_step(Known& from, Id to, std::size_t kind);
  KindSet dead_kinds(Id from);
  bool leads_on(Id from, std::size_t kind, std::vector<Id>& to);
  bool leads_on(Id from, const std::vector<SymbolRange>& spelling, std::size_t at,
                std::vector<Id>& to);

  ReadSets& sets_;
  std::uint32_t longest_;
  std::size_t most_explored_;
  std::vector<Known> known_;    // by Id
  std::size_t n_steps_ = 0;     // of these
  std::size_t n_explored_ = 0;  // ways, for this table
  std::vector<Id> explored_;    // of explore()
  std::uint32_t deepest_ = 0;   // of all that was noted
};

}  // namespace pleiad::constrain
