#include "constrain/texts/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>
#include <string>
#include <utility>

#include "constrain/texts/pattern_tree.h"

namespace pleiad::constrain {
namespace {

using Kind = PatternNode::Kind;

constexpr std::size_t kMaxNfaStates = 20'000;
constexpr std::size_t kMaxDfaStates = 10'000;

/// What a pattern looks for, with several ways on per symbol.
class Nfa {
 public:
  struct Edge {
    Symbol first, last;
    std::uint32_t target;
  };
  struct State {
    std::vector<Edge> edges;
    std::vector<std::uint32_t> jumps;
    std::vector<std::uint32_t> begin_jumps;  // where nothing was read yet
    std::vector<std::uint32_t> end_jumps;    // where nothing more is read
    bool between = true;                     // characters, not inside one
  };

  explicit Nfa(Syntax syntax) : syntax_(syntax) {}

  /// Unless ^ and $ say otherwise, anything may stand around.
  void add_search(const PatternNode& pattern) {
    const std::uint32_t begin = add();
    final_ = add();
    const bool is_choice = pattern.kind == Kind::choice;
    const std::size_t n_ways = is_choice ? pattern.children.size() : 1;
    for (std::size_t i = 0; i < n_ways; ++i) {
      const PatternNode& way = is_choice ? pattern.children[i] : pattern;
      jump(begin, add_way(way));
    }
  }

  std::uint32_t final() const { return final_; }
  const std::string& problem() const { return problem_; }
  std::vector<State> states;

 private:
  std::uint32_t add() {
    if (states.size() >= kMaxNfaStates) {
      fail("it is too large");
      return 0;
    }
    states.emplace_back();
    return static_cast<std::uint32_t>(states.size() - 1);
  }
  void jump(std::uint32_t from, std::uint32_t to) { states[from].jumps.push_back(to); }
  void fail(const char* why) {
    if (problem_.empty()) problem_ = why;
  }

  std::uint32_t add_way(const PatternNode& way) {
    std::vector<const PatternNode*> parts;
    if (way.kind == Kind::sequence) {
      for (const PatternNode& child : way.children) parts.push_back(&child);
    } else {
      parts.push_back(&way);
    }
    const std::uint32_t start = add();
    std::uint32_t at = start;
    const bool is_begun = !parts.empty() && parts.front()->kind == Kind::begin;
    if (is_begun) {
      parts.erase(parts.begin());
    } else {
      at = add_anything(at);
    }
    const bool is_ended = !parts.empty() && parts.back()->kind == Kind::end;
    if (is_ended) parts.pop_back();
    for (const PatternNode* part : parts) at = add_node(*part, at);
    if (!is_ended) at = add_anything(at);
    jump(at, final_);
    return start;
  }

  std::uint32_t add_anything(std::uint32_t from) {
    const std::uint32_t loop = add();
    jump(from, loop);
    add_characters({{0, 0x10FFFF}}, loop, loop);
    return loop;
  }

  /// Gives the state behind it.
  std::uint32_t add_node(const PatternNode& node, std::uint32_t from) {
    if (!problem_.empty()) return from;
    switch (node.kind) {
      case Kind::characters: {
        const std::uint32_t to = add();
        add_characters(node.characters, from, to);
        return to;
      }
      case Kind::sequence:
        for (const PatternNode& child : node.children) from = add_node(child, from);
        return from;
      case Kind::choice: {
        const std::uint32_t to = add();
        for (const PatternNode& child : node.children) {
          const std::uint32_t start = add();
          jump(from, start);
          jump(add_node(child, start), to);
        }
        return to;
      }
      case Kind::repeat:
        return add_repeat(node, from);
      case Kind::begin:
      case Kind::end: {
        const std::uint32_t to = add();
        State& state = states[from];
        (node.kind == Kind::begin ? state.begin_jumps : state.end_jumps).push_back(to);
        return to;
      }
    }
    return from;
  }

  std::uint32_t add_repeat(const PatternNode& node, std::uint32_t from) {
    for (std::uint32_t i = 0; i < node.least; ++i) from = add_node(node.children[0], from);
    if (node.most == kUnbounded) {
      const std::uint32_t loop = add();
      jump(from, loop);
      jump(add_node(node.children[0], loop), loop);
      return loop;
    }
    const std::uint32_t to = add();
    jump(from, to);
    for (std::uint32_t i = node.least; i < node.most; ++i) {
      from = add_node(node.children[0], from);
      jump(from, to);
    }
    return to;
  }

  void add_characters(const std::vector<CodeRange>& characters, std::uint32_t from,
                      std::uint32_t to) {
    for (const auto& spelling : spellings(syntax_, characters)) {
      std::uint32_t at = from;
      for (std::size_t i = 0; i < spelling.size(); ++i) {
        const bool is_last = i + 1 == spelling.size();
        const std::uint32_t next = is_last ? to : add();
        if (!is_last) states[next].between = false;
        states[at].edges.push_back({spelling[i].first, spelling[i].last, next});
        at = next;
      }
    }
  }

  Syntax syntax_;
  std::uint32_t final_ = 0;
  std::string problem_;
};

/// The states that an NFA may be in, and how many characters are still wanted.
struct Subset {
  std::vector<std::uint32_t> states;  // sorted
  Counter length;

  bool operator<(const Subset& other) const {
    if (states != other.states) return states < other.states;
    return std::pair(length.need, length.room) < std::pair(other.length.need, other.length.room);
  }
};

enum class Where : std::uint8_t { begin, within, end };

std::vector<std::uint32_t> with_jumps(const Nfa& nfa, std::vector<std::uint32_t> todo,
                                      Where where) {
  std::set<std::uint32_t> seen(todo.begin(), todo.end());
  while (!todo.empty()) {
    const std::uint32_t state = todo.back();
    todo.pop_back();
    const Nfa::State& from = nfa.states[state];
    const auto follow = [&](const std::vector<std::uint32_t>& jumps) {
      for (const std::uint32_t jump : jumps) {
        if (seen.insert(jump).second) todo.push_back(jump);
      }
    };
    follow(from.jumps);
    if (where == Where::begin) follow(from.begin_jumps);
    if (where == Where::end) follow(from.end_jumps);
  }
  // The others only led here.
  std::erase_if(seen, [&](std::uint32_t state) {
    const Nfa::State& it = nfa.states[state];
    return it.edges.empty() && it.end_jumps.empty() && state != nfa.final();
  });
  return {seen.begin(), seen.end()};
}

/// Calls add(first, last, states) for each range of symbols that leads elsewhere.
template <typename Add>
void each_way(const Nfa& nfa, const std::vector<std::uint32_t>& from, std::size_t& work,
              const Add& add) {
  std::vector<std::uint32_t> cuts;
  std::size_t n_edges = from.size();
  for (const std::uint32_t state : from) {
    n_edges += nfa.states[state].edges.size();
    for (const Nfa::Edge& edge : nfa.states[state].edges) {
      cuts.push_back(edge.first);
      cuts.push_back(edge.last + 1U);
    }
  }
  std::ranges::sort(cuts);
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  for (std::size_t i = 0; i + 1 < cuts.size() && work > 0; ++i) {
    work -= std::min(work, n_edges);
    std::vector<std::uint32_t> to;
    for (const std::uint32_t state : from) {
      for (const Nfa::Edge& edge : nfa.states[state].edges) {
        if (edge.first <= cuts[i] && cuts[i] <= edge.last) to.push_back(edge.target);
      }
    }
    if (to.empty()) continue;
    add(static_cast<Symbol>(cuts[i]), static_cast<Symbol>(cuts[i + 1] - 1),
        with_jumps(nfa, to, Where::within));
  }
}

/// What a pattern begins with that only looks ahead, and the rest.
struct Looks {
  struct Ahead {
    std::string pattern;
    bool found = true;
  };
  std::vector<Ahead> aheads;
  std::string rest;
};

/// Behind the ')' of the group whose inside begins at `begin`; npos where it is not closed.
std::size_t behind_group(std::string_view pattern, std::size_t begin) {
  int depth = 1;
  bool in_brackets = false;
  for (std::size_t i = begin; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\') {
      ++i;
    } else if (in_brackets) {
      in_brackets = c != ']';
    } else if (c == '[') {
      in_brackets = true;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')' && --depth == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

/// Whether it has a '|' outside of all groups; true as well where a group is not closed.
bool has_alternatives(std::string_view pattern) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '|') return true;
    if (pattern[i] == '\\') {
      ++i;
    } else if (pattern[i] == '(') {
      const std::size_t end = behind_group(pattern, i + 1);
      if (end == std::string_view::npos) return true;
      i = end - 1;
    } else if (pattern[i] == '[') {
      while (i < pattern.size() && pattern[i] != ']') i += pattern[i] == '\\' ? 2 : 1;
    }
  }
  return false;
}

/// "^(?!a)(?=b)c": what stands at the begin is asked of the same text beside the rest.
Looks take_looks(std::string_view pattern) {
  Looks out;
  std::string_view rest = pattern;
  if (rest.starts_with("^")) {
    rest.remove_prefix(1);
    while (rest.starts_with("(?=") || rest.starts_with("(?!")) {
      const std::size_t end = behind_group(rest, 3);
      if (end == std::string_view::npos) break;
      out.aheads.push_back({fmt::format("^(?:{})", rest.substr(3, end - 4)), rest[2] == '='});
      rest.remove_prefix(end);
    }
  }
  // Alternatives would each have a begin of their own.
  if (out.aheads.empty() || has_alternatives(rest)) return {{}, std::string(pattern)};
  out.rest = fmt::format("^{}", rest);
  return out;
}

Result<Dfa> plain_pattern_dfa(Syntax syntax, std::string_view pattern, Counter length,
                              std::size_t& work) {
  Result<PatternNode> tree = read_pattern(pattern);
  if (!tree) return Failure{tree.message()};
  Nfa nfa(syntax);
  nfa.add_search(tree.value());
  if (!nfa.problem().empty()) return Failure{nfa.problem()};
  work -= std::min(work, nfa.states.size());
  const auto next = [&](const Subset& at, const auto& add) {
    each_way(nfa, at.states, work,
             [&](Symbol first, Symbol last, std::vector<std::uint32_t> states) {
               Subset to{std::move(states), at.length};
               const bool begins = nfa.states[at.states.front()].between;
               if (begins && !to.length.count()) return;
               add(first, last, to);
             });
  };
  const auto accepts = [&](const Subset& at) {
    if (at.length.need > 0) return false;
    const std::vector<std::uint32_t> last = with_jumps(nfa, at.states, Where::end);
    return std::ranges::binary_search(last, nfa.final());
  };
  std::optional<Dfa> dfa =
      explore(Subset{with_jumps(nfa, {0}, Where::begin), length}, next, accepts, kMaxDfaStates);
  if (!dfa || work == 0) return Failure{"it is too large"};
  return std::move(*dfa);
}

}  // namespace

Result<Dfa> pattern_dfa(Syntax syntax, std::string_view pattern, Counter length,
                        std::size_t& work) {
  const Looks looks = take_looks(pattern);
  Result<Dfa> dfa = plain_pattern_dfa(syntax, looks.rest, length, work);
  if (!dfa) return dfa;
  std::deque<Dfa> found;
  std::vector<DfaCondition> conditions;
  for (const Looks::Ahead& ahead : looks.aheads) {
    Result<Dfa> what = plain_pattern_dfa(syntax, ahead.pattern, {}, work);
    if (!what) return what;
    found.push_back(std::move(what).value());
    conditions.push_back({&found.back(), ahead.found});
  }
  if (!conditions.empty()) {
    std::optional<Dfa> rest = restricted(dfa.value(), conditions, kMaxDfaStates);
    if (!rest) return Failure{"it is too large"};
    dfa = std::move(*rest);
  }
  if (is_empty(dfa.value())) return Failure{"no string of the allowed length matches it"};
  return dfa;
}

}  // namespace pleiad::constrain
