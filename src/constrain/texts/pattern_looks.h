#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "constrain/syntax.h"
#include "constrain/texts/dfa.h"
#include "constrain/texts/pattern_tree.h"

namespace pleiad::constrain {

/// What stands before a place of a text.
enum class Before : std::uint8_t { nothing, word, other };

/// That what is still to be read begins as a look-ahead says, or does not, so much of it having
/// been read.
struct Promise {
  std::uint32_t look = 0;   // which one
  std::uint32_t state = 0;  // of its automaton

  auto operator<=>(const Promise&) const = default;
};
using Promises = std::vector<Promise>;  // all of these; sorted

/// What the conditions of one pattern come to at a place of a text. One that looks ahead is a
/// promise, which each symbol brings nearer to where it is kept or broken; \b and \B are such about
/// the next character.
class PatternLooks {
 public:
  /// Subtracts from `work` what it takes.
  PatternLooks(Syntax syntax, std::size_t& work);

  struct Outcome {
    bool holds = false;
    std::optional<Promise> promise = {};  // if this is kept
  };
  Outcome ask(const PatternNode& condition, Before before, bool at_end);

  /// What is left of them behind a symbol; nothing where one is broken.
  std::optional<Promises> after(const Promises& promises, Symbol symbol);
  /// Whether they are kept if nothing follows.
  bool kept_at_end(const Promises& promises) const;
  /// Where the ways of a promise differ.
  const std::vector<Dfa::Edge>& edges(const Promise& promise) const;

  Syntax syntax() const { return syntax_; }
  void spend(std::size_t steps) { work_ -= steps < work_ ? steps : work_; }
  std::size_t& work() { return work_; }
  /// Whether more was to be spent than there is, or a look-ahead takes too many states.
  bool failed() const { return work_ == 0 || is_too_large_; }

 private:
  /// Reads what follows, and accepts it if it begins with what is looked for.
  struct Look {
    Dfa dfa;
    bool is_negated = false;
    std::uint32_t everything = 0;  // its state that accepts whatever follows, if there is one
  };

  Outcome look(const PatternNode& ahead, Before before);
  Outcome outcome_of(Promise promise) const;

  Syntax syntax_;
  std::size_t& work_;
  bool is_too_large_ = false;
  PatternNode word_, no_word_;  // what follows, for \b and \B
  std::deque<Look> looks_;
  std::map<std::pair<const PatternNode*, Before>, std::uint32_t> known_;
};

}  // namespace pleiad::constrain
