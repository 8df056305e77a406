#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "constrain/tokens/level_sweep.h"
#include "constrain/tokens/plain_text.h"
#include "constrain/tokens/read_sets.h"
#include "constrain/tokens/token_trie.h"

namespace pleiad::constrain {

/// Tokens of a vocabulary, in as little room as there is.
struct TokenList {
  std::uint32_t plain = 0;            // plain tokens of at most so many characters; beside them
  std::vector<text::TokenId> tokens;  // few, or
  std::vector<std::uint64_t> bits;    // many

  /// All but `plain`.
  void add_to(std::span<std::uint64_t> allowed) const;
  /// In memory of their own.
  std::size_t memory_bytes() const {
    return tokens.capacity() * sizeof(text::TokenId) + bits.capacity() * sizeof(std::uint64_t);
  }
};

/// Finds the tokens that a set allows, by a walk over the trie. It takes a subtree of plain tokens
/// as a whole where all characters below it may come (PlainTexts), and leaves it where none of its
/// tokens can.
class TrieWalk {
 public:
  struct Ended {
    std::uint32_t node;
    ReadSets::Id set;
  };

  /// `most_explored`: see PlainTexts.
  TrieWalk(const TokenTrie& trie, ReadSets& sets, std::size_t most_explored);

  static constexpr std::size_t kAnyEnded = std::numeric_limits<std::size_t>::max();

  /// What the set allows below these nodes; a root is that of a whole tree. Given up, and false,
  /// where something has ended at more than so many nodes.
  bool walk(std::span<const std::uint32_t> nodes, ReadSets::Id start,
            std::size_t most_ended = kAnyEnded);

  /// What the set allows at and below these nodes, in order, none below another, to each of which
  /// its symbols are read first.
  void walk_to(std::span<const std::uint32_t> nodes, ReadSets::Id start);

  // What the last walk found that was not given up; tokens() once.
  TokenList tokens();
  /// The nodes where something has ended that may go on, each with the set that led there.
  std::span<const Ended> ended() const { return ended_; }
  std::uint32_t deepest() const { return deepest_; }  // see Threads
  /// Of walk() from all roots: all that it did not allow is at or below these nodes. Told where
  /// nearly all plain text may follow and these are few.
  std::span<const std::uint32_t> left_out() const { return left_out_; }
  bool tells_left_out() const { return tells_left_out_ && left_out_.size() <= kMostLeftOut; }

  /// The sets were forgotten.
  void clear() { plain_.clear(); }
  std::size_t memory_bytes() const { return plain_.memory_bytes() + sweep_.memory_bytes(); }

 private:
  static constexpr std::size_t kMostLeftOut = 2'000;  // nodes
  static constexpr std::uint64_t kAnyWalked = std::numeric_limits<std::uint64_t>::max();

  using Id = ReadSets::Id;
  using Range = std::pair<std::uint32_t, std::uint32_t>;  // of the trie's tokens: first, end
  enum class Below : std::uint8_t { all, none, some };

  /// How much was found until then.
  struct Mark {
    std::size_t n_ended = 0;
    std::size_t n_left_out = 0;
    std::size_t n_ranges = 0;
    std::size_t n_short = 0;
    Range last_range = {};
  };

  void begin(Id start, std::size_t most_ended);
  bool reads_few(Id set) const;
  KindSet kinds_read_by(Id set) const;
  void find_few_symbols(Id start);
  bool walk_few(std::size_t tree, Id start);
  bool walk_or_sweep(std::size_t tree, Id start);
  bool walk_tree(std::size_t tree, Id start);
  bool walk_from_within(std::size_t tree, Id start);
  Mark mark() const;
  void go_back(const Mark& mark);
  void find_dead_nodes(Id start);
  bool walk_dead_nodes(std::size_t tree, Id start);
  void walk_ways(std::span<const std::uint32_t> nodes, Id start);
  bool walk_behind(std::size_t tree, Id start);
  void take_swept(std::size_t tree, bool has_short);
  bool walk_below(std::uint32_t root, Id start);
  bool walk_nodes(std::uint32_t first, std::uint32_t end, std::uint32_t base);
  Below allowed_below(std::uint32_t node, Id set);
  bool takes_tree(std::size_t tree, Id start);
  bool takes_all_plain(Id start);
  void note_ended(std::uint32_t node, Id set);
  void take(Range range);
  void join_ranges();
  void add_short_bits(std::span<std::uint64_t> bits) const;

  const TokenTrie& trie_;
  ReadSets& sets_;
  PlainTexts plain_;
  LevelSweep sweep_;

  /// The tokens of a tree that have at most so many characters.
  struct ShortOf {
    std::size_t tree = 0;
    std::uint32_t most_characters = 0;
  };
  struct Place {
    Id set = 0;
    const Id* after = nullptr;  // ReadSets::after()
  };

  std::vector<Place> path_;             // at each depth
  std::vector<Symbol> few_;             // see find_few_symbols()
  std::vector<Range> ranges_;           // what is allowed, beside
  std::vector<std::size_t> trees_;      // all of these, and
  std::vector<ShortOf> short_;          // and these,
  std::vector<text::TokenId> swept_;    // and these, but not
  std::vector<text::TokenId> cleared_;  // these of trees_
  std::uint32_t most_plain_ = 0;        // TokenList::plain
  std::vector<Ended> ended_;
  std::vector<std::uint32_t> left_out_;
  bool tells_left_out_ = false;
  std::size_t most_ended_ = kAnyEnded;
  std::uint64_t most_walked_ = kAnyWalked;  // nodes at once
  bool is_too_long_ = false;                // more were to be walked
  bool may_sweep_ = true;                   // no sweep of this walk was given up
  bool has_swept_ = false;
  bool follows_ = false;                   // a tree was followed behind its first characters
  bool has_asked_dead_ = false;            // for dead_nodes_,
  bool has_dead_ = false;                  // which are known:
  std::vector<std::uint32_t> dead_nodes_;  // all plain tokens are allowed but at these and below
  std::vector<TextEnding> dead_endings_;
  std::uint32_t deepest_ = 0;
};

}  // namespace pleiad::constrain
