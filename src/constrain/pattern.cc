#include "constrain/pattern.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "constrain/pattern_tree.h"

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
    bool between = true;  // characters, not inside one
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
      case Kind::end:
        fail("'^' and '$' are supported only at the ends of the pattern");
        return from;
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

std::vector<std::uint32_t> with_jumps(const Nfa& nfa, std::vector<std::uint32_t> todo) {
  std::set<std::uint32_t> seen(todo.begin(), todo.end());
  while (!todo.empty()) {
    const std::uint32_t state = todo.back();
    todo.pop_back();
    for (const std::uint32_t jump : nfa.states[state].jumps) {
      if (seen.insert(jump).second) todo.push_back(jump);
    }
  }
  // The others only led here.
  std::erase_if(seen, [&](std::uint32_t state) {
    return nfa.states[state].edges.empty() && state != nfa.final();
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
    add(static_cast<Symbol>(cuts[i]), static_cast<Symbol>(cuts[i + 1] - 1), with_jumps(nfa, to));
  }
}

}  // namespace

Result<Dfa> pattern_dfa(Syntax syntax, std::string_view pattern, Counter length,
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
    return at.length.need == 0 && std::ranges::binary_search(at.states, nfa.final());
  };
  std::optional<Dfa> dfa =
      explore(Subset{with_jumps(nfa, {0}), length}, next, accepts, kMaxDfaStates);
  if (!dfa || work == 0) return Failure{"it is too large"};
  if (dfa->states[0].edges.empty() && !dfa->states[0].accepts) {
    return Failure{"no string of the allowed length matches it"};
  }
  return std::move(*dfa);
}

}  // namespace pleiad::constrain
