#pragma once

#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "constrain/grammars/grammar_tree.h"

// What grammars mean, said as plainly as possible: for tests and fuzzing, of short texts of ASCII.
namespace pleiad::constrain::grammars {

/// Looks for the derivations of one text by trying everything until nothing new is found. Not of
/// grammars with intersections, complements and automata.
class SlowMatcher {
 public:
  /// At most 62 bytes.
  SlowMatcher(const GrammarTree& tree, std::string_view text) : tree_(tree), text_(text) {
    const std::size_t n_rules = tree.rules.size();
    productive_.assign(n_rules, false);
    ends_.assign(n_rules, std::vector<Ends>(text.size() + 1, 0));
    begun_.assign(n_rules, std::vector<bool>(text.size() + 1, false));
    for (bool changes = true; changes;) {
      changes = false;
      for (std::size_t rule = 0; rule < n_rules; ++rule) changes |= look_again(rule);
    }
  }

  bool matches() const { return (ends_[tree_.start][0] >> text_.size() & 1) != 0; }
  /// Whether a text that matches begins so.
  bool is_begin() const { return begun_[tree_.start][0]; }
  /// Whether any text matches.
  bool matches_anything() const { return productive_[tree_.start]; }

 private:
  using Kind = Expression::Kind;
  using Ends = std::uint64_t;  // bit j: the text from where it was looked at to j

  bool look_again(std::size_t rule) {
    const Expression& body = tree_.rules[rule].body;
    bool changes = false;
    if (!productive_[rule] && is_productive(body)) productive_[rule] = changes = true;
    for (std::size_t i = 0; i <= text_.size(); ++i) {
      Ends found = ends(body, i);
      if (tree_.rules[rule].is_terminal) found = longest(body, i, found);
      if (found != ends_[rule][i]) changes = true;
      ends_[rule][i] = found;
      if (!begun_[rule][i] && begins(body, i, text_.size())) begun_[rule][i] = changes = true;
    }
    return changes;
  }

  bool is_productive(const Expression& what) const {
    switch (what.kind) {
      case Kind::text:
        return true;
      case Kind::dfa:
        return !is_empty(what.dfa);
      case Kind::characters:
        return !what.characters.empty();
      case Kind::rule:
        return productive_[what.rule];
      case Kind::repeat:
        return what.least == 0 || is_productive(what.children.front());
      case Kind::sequence:
        for (const Expression& child : what.children) {
          if (!is_productive(child)) return false;
        }
        return true;
      case Kind::choice:
        for (const Expression& child : what.children) {
          if (is_productive(child)) return true;
        }
        return false;
      case Kind::intersection:
      case Kind::complement:
      case Kind::automaton:
        throw std::logic_error("SlowMatcher does not know such expressions");
    }
    return false;
  }

  Ends ends_of_all(const Expression& what, Ends from) const {
    Ends out = 0;
    for (std::size_t i = 0; i <= text_.size(); ++i) {
      if ((from >> i & 1) != 0) out |= ends(what, i);
    }
    return out;
  }

  Ends ends(const Expression& what, std::size_t at) const {
    const Ends here = Ends{1} << at;
    switch (what.kind) {
      case Kind::text:
        return text_.substr(at).starts_with(what.text) ? here << what.text.size() : 0;
      case Kind::characters:
        return at < text_.size() && has(what, text_[at]) ? here << 1 : 0;
      case Kind::rule:
        return ends_[what.rule][at];
      case Kind::dfa: {
        Ends out = 0;
        std::uint32_t state = 0;
        for (std::size_t i = at; state != kNowhere; ++i) {
          if (what.dfa.states[state].accepts) out |= Ends{1} << i;
          state = i < text_.size() ? follow(what.dfa, state, text_[i]) : kNowhere;
        }
        return out;
      }
      case Kind::sequence: {
        Ends out = here;
        for (const Expression& child : what.children) out = ends_of_all(child, out);
        return out;
      }
      case Kind::choice: {
        Ends out = 0;
        for (const Expression& child : what.children) out |= ends(child, at);
        return out;
      }
      case Kind::repeat: {
        Ends out = 0;
        Ends times = here;
        // Beyond one more than there are bytes nothing new comes.
        for (std::size_t i = 0; i <= what.least + text_.size() + 1; ++i) {
          if (i >= what.least && i <= what.most) out |= times;
          times = ends_of_all(what.children.front(), times);
        }
        return out;
      }
      case Kind::intersection:
      case Kind::complement:
      case Kind::automaton:
        throw std::logic_error("SlowMatcher does not know such expressions");
    }
    return 0;
  }

  static bool has(const Expression& what, char c) {
    for (const CodeRange& range : what.characters) {
      const auto code = static_cast<unsigned char>(c);
      if (range.first <= code && code <= range.last) return true;
    }
    return false;
  }

  static constexpr std::uint32_t kNowhere = UINT32_MAX;

  static std::uint32_t follow(const Dfa& dfa, std::uint32_t state, char c) {
    for (const Dfa::Edge& edge : dfa.states[state].edges) {
      if (edge.first <= symbol_of(c) && symbol_of(c) <= edge.last) return edge.target;
    }
    return kNowhere;
  }

  /// Whether a text of `what` begins with all from `at` to `end`. Rules that are no terminals are
  /// asked up to the end of the text alone.
  bool begins(const Expression& what, std::size_t at, std::size_t end) const {
    if (!is_productive(what)) return false;
    const std::string_view rest = text_.substr(at, end - at);
    switch (what.kind) {
      case Kind::text:
        return std::string_view(what.text).starts_with(rest);
      case Kind::characters:
        return rest.empty() || (rest.size() == 1 && has(what, rest[0]));
      case Kind::dfa: {
        std::uint32_t state = 0;
        for (const char c : rest) {
          if (state != kNowhere) state = follow(what.dfa, state, c);
        }
        return state != kNowhere;
      }
      case Kind::rule:
        if (tree_.rules[what.rule].is_terminal) return begins(tree_.rules[what.rule].body, at, end);
        return begun_[what.rule][at];
      case Kind::sequence: {
        Ends from = Ends{1} << at;
        for (const Expression& child : what.children) {
          if (begins_at_any(child, from, end)) return true;
          from = ends_of_all(child, from);
        }
        return (from >> end & 1) != 0;
      }
      case Kind::choice:
        for (const Expression& child : what.children) {
          if (begins(child, at, end)) return true;
        }
        return false;
      case Kind::repeat: {
        Ends from = Ends{1} << at;
        for (std::size_t i = 0; i <= what.least + text_.size() + 1; ++i) {
          if (i >= what.least && i <= what.most && (from >> end & 1) != 0) return true;
          if (i < what.most && begins_at_any(what.children.front(), from, end)) return true;
          from = ends_of_all(what.children.front(), from);
        }
        return false;
      }
      case Kind::intersection:
      case Kind::complement:
      case Kind::automaton:
        throw std::logic_error("SlowMatcher does not know such expressions");
    }
    return false;
  }

  bool begins_at_any(const Expression& what, Ends from, std::size_t end) const {
    for (std::size_t i = 0; i <= end; ++i) {
      if ((from >> i & 1) != 0 && begins(what, i, end)) return true;
    }
    return false;
  }

  /// The ends behind which the terminal could not have gone on. One that may be empty may be left
  /// out.
  Ends longest(const Expression& body, std::size_t at, Ends found) const {
    for (std::size_t j = at + 1; j < text_.size(); ++j) {
      if ((found >> j & 1) != 0 && begins(body, at, j + 1)) found &= ~(Ends{1} << j);
    }
    return found;
  }

  const GrammarTree& tree_;
  std::string_view text_;
  std::vector<bool> productive_;
  std::vector<std::vector<Ends>> ends_;  // of rules, at each place
  std::vector<std::vector<bool>> begun_;
};

/// A grammar of a few rules over a, b and c, of all kinds: ambiguous, empty, endless ones.
class RandomGrammar {
 public:
  explicit RandomGrammar(std::uint32_t seed) : random_(seed) {}

  GrammarTree make() {
    GrammarTree tree;
    const std::size_t n_rules = 1 + below(4);
    n_terminals_ = below(3) == 0 ? 1 + below(2) : 0;
    for (std::size_t i = 0; i < n_rules + n_terminals_; ++i) tree.rules.push_back({"r", {}, false});
    n_rules_ = n_rules;
    for (std::size_t i = 0; i < n_rules; ++i) tree.rules[i].body = expression(3, true);
    for (std::size_t i = n_rules; i < tree.rules.size(); ++i) {
      tree.rules[i].body = expression(2, false);
      tree.rules[i].is_terminal = true;
    }
    return tree;
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }

  Expression expression(int depth, bool names_rules) {
    const std::size_t kind = below(depth > 0 ? 10 : 4);
    if (kind < 2) return text_of(std::string(1 + below(2), static_cast<char>('a' + below(3))));
    if (kind == 2) {
      const auto first = static_cast<char32_t>('a' + below(3));
      return characters_of({{first, first + static_cast<char32_t>(below(2))}});
    }
    if (kind == 3 && !names_rules) return {};
    if (kind < 6 && names_rules) {
      return rule_of(static_cast<std::uint32_t>(below(n_rules_ + n_terminals_)));
    }
    if (kind == 9) {
      const auto least = static_cast<std::uint32_t>(below(3));
      const auto most = below(2) == 0 ? kUnbounded : least + static_cast<std::uint32_t>(below(3));
      return repeat_of(expression(depth - 1, names_rules), least, most);
    }
    std::vector<Expression> children;
    for (std::size_t n = 1 + below(3); n > 0; --n) {
      children.push_back(expression(depth - 1, names_rules));
    }
    if (kind % 2 == 0) return sequence_of(std::move(children));
    if (below(4) == 0) children.push_back({});
    return choice_of(std::move(children));
  }

  std::mt19937 random_;
  std::size_t n_rules_ = 0;
  std::size_t n_terminals_ = 0;
};

}  // namespace pleiad::constrain::grammars
