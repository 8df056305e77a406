#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "constrain/automaton.h"
#include "constrain/characters.h"

namespace pleiad::constrain::grammars {

/// The right side of a rule. Readers keep it shallow (kMaxNesting): it is walked by recursion.
struct Expression {
  enum class Kind : std::uint8_t { text, characters, sequence, choice, repeat, rule };
  Kind kind = Kind::sequence;              // one without children is the empty text
  std::string text = {};                   // text: its bytes
  std::vector<CodeRange> characters = {};  // characters: one of these; sorted and apart
  std::vector<Expression> children = {};   // sequence, choice; repeat: one
  std::uint32_t least = 0;                 // repeat
  std::uint32_t most = 0;                  // repeat; kUnbounded
  std::uint32_t rule = 0;                  // rule: its index
};

/// Brackets inside each other, in any grammar language.
inline constexpr int kMaxNesting = 100;

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
  };
  std::vector<Rule> rules;
  std::uint32_t start = 0;
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
inline Expression sequence_of(std::vector<Expression> children) {
  if (children.size() == 1) return std::move(children.front());
  return {.kind = Expression::Kind::sequence, .children = std::move(children)};
}
inline Expression choice_of(std::vector<Expression> children) {
  if (children.size() == 1) return std::move(children.front());
  return {.kind = Expression::Kind::choice, .children = std::move(children)};
}
inline Expression repeat_of(Expression child, std::uint32_t least, std::uint32_t most) {
  Expression out{.kind = Expression::Kind::repeat, .least = least, .most = most};
  out.children.push_back(std::move(child));
  return out;
}

}  // namespace pleiad::constrain::grammars
