#include "constrain/texts/pattern_nfa.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "constrain/texts/code_ranges.h"
#include "constrain/texts/spelling_tree.h"

namespace pleiad::constrain {
namespace {

using Kind = PatternNode::Kind;

constexpr std::size_t kMaxNfaStates = 20'000;
// A state is some hundred bytes, and is followed several times at least.
constexpr std::size_t kStepsOfNfaState = 24;
constexpr std::size_t kStepsOfRange = 200;  // each is spelled, and joins a tree of what is spelled

class NfaWriter {
 public:
  NfaWriter(Syntax syntax, std::size_t& work) : syntax_(syntax), work_(work) {}

  Result<PatternNfa> write(const PatternNode& pattern, PatternSpan span) {
    const std::uint32_t start = add();
    nfa_.final = add();
    if (is_too_large_) return Failure{"it is too large"};
    if (span == PatternSpan::anywhere) {
      add_search(pattern, start);
    } else {
      jump(add_node(pattern, start), nfa_.final);
    }
    if (span == PatternSpan::begin) {
      nfa_.states[nfa_.final].edges.push_back({0, 0xFF, nfa_.final});
      nfa_.found = nfa_.final;
    }
    if (is_too_large_) return Failure{"it is too large"};
    return std::move(nfa_);
  }

 private:
  void spend(std::size_t steps) {
    work_ -= std::min(steps, work_);
    if (work_ == 0) is_too_large_ = true;
  }

  std::uint32_t add() {
    spend(kStepsOfNfaState);
    if (nfa_.states.size() >= kMaxNfaStates) is_too_large_ = true;
    if (is_too_large_) return 0;
    nfa_.states.emplace_back();
    return static_cast<std::uint32_t>(nfa_.states.size() - 1);
  }
  void jump(std::uint32_t from, std::uint32_t to) { nfa_.states[from].jumps.push_back(to); }

  /// Unless ^ and $ say otherwise, anything may stand around.
  void add_search(const PatternNode& pattern, std::uint32_t start) {
    nfa_.found = add_anything();
    jump(*nfa_.found, nfa_.final);
    if (pattern.kind != Kind::choice) return add_way(pattern, start);
    for (const PatternNode& way : pattern.children) add_way(way, start);
  }

  void add_way(const PatternNode& way, std::uint32_t start) {
    std::vector<const PatternNode*> parts;
    if (way.kind == Kind::sequence) {
      for (const PatternNode& child : way.children) parts.push_back(&child);
    } else {
      parts.push_back(&way);
    }
    std::uint32_t at = add();
    jump(start, at);
    if (!parts.empty() && parts.front()->kind == Kind::begin) {
      parts.erase(parts.begin());
    } else {
      const std::uint32_t before = add_anything();
      jump(at, before);
      at = before;
    }
    const bool is_ended = !parts.empty() && parts.back()->kind == Kind::end;
    if (is_ended) parts.pop_back();
    for (const PatternNode* part : parts) at = add_node(*part, at);
    jump(at, is_ended ? nfa_.final : *nfa_.found);
  }

  std::uint32_t add_anything() {
    const std::uint32_t loop = add();
    add_characters(spelling_tree(syntax_, {{0, kLastCharacterCode}}), loop, loop);
    return loop;
  }

  /// Gives the state behind it.
  std::uint32_t add_node(const PatternNode& node, std::uint32_t from) {
    spend(1);  // for parts that read nothing, and make no state
    if (is_too_large_) return from;
    switch (node.kind) {
      case Kind::characters: {
        const std::uint32_t to = add();
        add_characters(tree_of(node), from, to);
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
      case Kind::boundary:
      case Kind::ahead: {
        const std::uint32_t to = add();
        nfa_.states[from].checks.push_back({&node, to});
        nfa_.asks_begin |= node.kind == Kind::begin || node.asks_begin;
        nfa_.asks_word |= node.kind == Kind::boundary || node.asks_word;
        return to;
      }
    }
    return from;
  }

  std::uint32_t add_repeat(const PatternNode& node, std::uint32_t from) {
    for (std::uint32_t i = 0; i < node.least && !is_too_large_; ++i) {
      from = add_node(node.children[0], from);
    }
    if (node.most == kUnbounded) {
      const std::uint32_t loop = add();
      jump(from, loop);
      jump(add_node(node.children[0], loop), loop);
      return loop;
    }
    const std::uint32_t to = add();
    jump(from, to);
    for (std::uint32_t i = node.least; i < node.most && !is_too_large_; ++i) {
      from = add_node(node.children[0], from);
      jump(from, to);
    }
    return to;
  }

  /// Worked out once, however often the class is repeated.
  const SpellingTree& tree_of(const PatternNode& node) {
    const auto [found, is_new] = trees_.try_emplace(&node);
    if (is_new) {
      spend(node.characters.size() * kStepsOfRange);
      if (!is_too_large_) found->second = spelling_tree(syntax_, node.characters);
    }
    return found->second;
  }

  void add_characters(const SpellingTree& tree, std::uint32_t from, std::uint32_t to) {
    if (is_too_large_) return;
    std::vector<std::uint32_t> states;
    for (std::size_t i = 0; i + 1 < tree.nodes.size(); ++i) {
      states.push_back(add());
      nfa_.states[states.back()].between = false;
    }
    if (is_too_large_) return;
    states.push_back(from);
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      spend(tree.nodes[i].size());
      for (const SpellingTree::Edge& edge : tree.nodes[i]) {
        const bool is_whole = edge.target == SpellingTree::kWhole;
        nfa_.states[states[i]].edges.push_back(
            {edge.first, edge.last, is_whole ? to : states[edge.target]});
      }
    }
  }

  Syntax syntax_;
  std::size_t& work_;
  PatternNfa nfa_;
  std::map<const PatternNode*, SpellingTree> trees_;
  bool is_too_large_ = false;
};

}  // namespace

Result<PatternNfa> make_pattern_nfa(Syntax syntax, const PatternNode& pattern, PatternSpan span,
                                    std::size_t& work) {
  return NfaWriter(syntax, work).write(pattern, span);
}

}  // namespace pleiad::constrain
