#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "constrain/automaton.h"
#include "constrain/texts/characters.h"
#include "constrain/texts/dfa.h"

namespace pleiad::constrain::grammars {

/// The right side of a rule. Readers keep it shallow (kMaxDepth): it is walked by recursion.
struct Expression {
  enum class Kind : std::uint8_t {
    text,
    characters,
    sequence,
    choice,
    repeat,
    rule,
    dfa,
    intersection,  // what each of the children is; of terminals alone, as the next one
    complement,    // every text of whole characters that the child is not
    automaton,     // what a rule of an automaton leads through
  };
  Kind kind = Kind::sequence;              // one without children is the empty text
  std::string text = {};                   // text: its bytes
  std::vector<CodeRange> characters = {};  // characters: one of these; sorted and apart
  std::vector<Expression> children = {};  // sequence, choice, intersection; repeat, complement: one
  std::uint32_t least = 0;                // repeat
  std::uint32_t most = 0;                 // repeat; kUnbounded
  std::uint32_t rule = 0;                 // rule: its index
  Dfa dfa = {};                           // dfa: its texts, of bytes
  std::shared_ptr<const Automaton> automaton = nullptr;
  Rule entry = {};          // automaton
  std::uint32_t depth = 1;  // levels of expressions in it, itself among them
};

/// Brackets inside each other, in any grammar language.
inline constexpr int kMaxNesting = 100;

/// Levels of one expression, and of all that are walked in one recursion. Brackets and repetitions
/// that are bounded by themselves take fewer, but not their product.
inline constexpr std::uint32_t kMaxDepth = 1000;

/// A context-free grammar over bytes, as its author wrote it: rules may be ambiguous, empty, and
/// begin with themselves.
struct GrammarTree {
  struct Rule {
    std::string name;
    Expression body;
    /// A terminal of a grammar with a lexer: it takes the longest text that it can, so that what
    /// follows it never begins with what it could have gone on with. Its body leads to other
    /// terminals alone, and never back to itself.
    bool is_terminal = false;
    /// A terminal that takes the shortest text that it can instead, or the empty one. Where it may
    /// begin at a place of a rule, directly or through what begins there, other terminals that may
    /// begin there never go through a text of it.
    bool is_lazy = false;
  };
  std::vector<Rule> rules;
  std::uint32_t start = 0;
  /// What there is to tell of its schemas, "PLACE: why": the place is where a Failure has it.
  std::vector<std::string> notes = {};
};

inline Expression text_of(std::string text) {
  return {.kind = Expression::Kind::text, .text = std::move(text)};
}
inline Expression characters_of(std::vector<CodeRange> characters) {
  return {.kind = Expression::Kind::characters, .characters = std::move(characters)};
}
inline Expression rule_of(std::uint32_t rule) {
  return {.kind = Expression::Kind::rule, .rule = rule};
}
inline Expression dfa_of(Dfa dfa) { return {.kind = Expression::Kind::dfa, .dfa = std::move(dfa)}; }
inline Expression automaton_of(std::shared_ptr<const Automaton> automaton, const Rule& entry) {
  return {.kind = Expression::Kind::automaton, .automaton = std::move(automaton), .entry = entry};
}
/// With its children's depth.
inline Expression deeper(Expression what) {
  for (const Expression& child : what.children) what.depth = std::max(what.depth, child.depth + 1);
  return what;
}
inline Expression sequence_of(std::vector<Expression> children) {
  if (children.size() == 1) return std::move(children.front());
  return deeper({.kind = Expression::Kind::sequence, .children = std::move(children)});
}
inline Expression choice_of(std::vector<Expression> children) {
  if (children.size() == 1) return std::move(children.front());
  return deeper({.kind = Expression::Kind::choice, .children = std::move(children)});
}
inline Expression repeat_of(Expression child, std::uint32_t least, std::uint32_t most) {
  Expression out{.kind = Expression::Kind::repeat, .least = least, .most = most};
  out.children.push_back(std::move(child));
  return deeper(std::move(out));
}
inline Expression intersection_of(std::vector<Expression> children) {
  if (children.size() == 1) return std::move(children.front());
  return deeper({.kind = Expression::Kind::intersection, .children = std::move(children)});
}
inline Expression complement_of(Expression child) {
  Expression out{.kind = Expression::Kind::complement};
  out.children.push_back(std::move(child));
  return deeper(std::move(out));
}

}  // namespace pleiad::constrain::grammars
