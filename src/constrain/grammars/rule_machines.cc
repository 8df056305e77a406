#include "constrain/grammars/rule_machines.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "constrain/grammars/automaton_rules.h"
#include "constrain/grammars/cost_failure.h"
#include "constrain/grammars/lazy_terminals.h"
#include "constrain/grammars/machine_dfas.h"
#include "constrain/texts/spelling_tree.h"

namespace pleiad::constrain::grammars {
namespace {

constexpr std::size_t kStepsOfRange = 8;  // it is spelled, and joins a tree of what is spelled

/// A rule that takes more states is called, so that all places that name it share them.
constexpr std::size_t kMostInlined = 40;

class MachineWriter {
  using Kind = Expression::Kind;

 public:
  MachineWriter(const GrammarTree& tree, GrammarBudget& budget) : tree_(tree), budget_(budget) {}

  Result<RuleMachines> write() {
    const std::size_t n_rules = tree_.rules.size();
    out_.rules.resize(n_rules);
    out_.is_used.assign(n_rules, false);
    sizes_.assign(n_rules, std::nullopt);
    use(tree_.start);
    while (!todo_.empty() && !budget_.is_spent()) {
      const std::uint32_t rule = todo_.back();
      todo_.pop_back();
      in_terminal_ = tree_.rules[rule].is_terminal;
      const std::uint32_t start = add();
      const std::uint32_t end = write(tree_.rules[rule].body, start);
      out_.rules[rule] = {start, end, in_terminal_};
      if (tree_.rules[rule].is_lazy) make_lazy(out_.rules[rule]);
    }
    if (budget_.is_spent()) return too_costly();
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kLarge = std::numeric_limits<std::size_t>::max() / 4;

  std::uint32_t add() {
    budget_.spend(16);
    out_.states.emplace_back();
    return static_cast<std::uint32_t>(out_.states.size() - 1);
  }
  void jump(std::uint32_t from, std::uint32_t to) {
    budget_.spend(4);
    out_.states[from].jumps.push_back(to);
  }
  void edge(std::uint32_t from, Symbol first, Symbol last, std::uint32_t to) {
    budget_.spend(4);
    out_.states[from].edges.push_back({first, last, to});
  }
  void use(std::uint32_t rule) {
    if (out_.is_used[rule]) return;
    out_.is_used[rule] = true;
    todo_.push_back(rule);
  }

  /// Gives the state behind it.
  std::uint32_t write(const Expression& what, std::uint32_t from) {
    // Terminals that are nothing but others, and in the end nothing, make no states.
    if (!budget_.spend(1)) return from;
    switch (what.kind) {
      case Kind::text:
        for (const char c : what.text) {
          const std::uint32_t to = add();
          edge(from, symbol_of(c), symbol_of(c), to);
          from = to;
        }
        return from;
      case Kind::characters:
        return write_characters(what.characters, from);
      case Kind::sequence:
        for (const Expression& child : what.children) from = write(child, from);
        return from;
      case Kind::choice: {
        const std::uint32_t to = add();
        for (const Expression& child : what.children) {
          const std::uint32_t start = add();
          jump(from, start);
          jump(write(child, start), to);
        }
        return to;
      }
      case Kind::repeat:
        return write_repeat(what, from);
      case Kind::rule:
        return write_rule(what.rule, from);
      case Kind::dfa:
        return write_dfa(what.dfa, from);
      case Kind::intersection:
      case Kind::complement:
        return write_set(what, from);
      case Kind::automaton:
        return write_call(automata_.add(*what.automaton, what.entry), from);
    }
    return from;
  }

  std::uint32_t write_characters(const std::vector<CodeRange>& characters, std::uint32_t from) {
    const std::uint32_t to = add();
    budget_.spend(characters.size() * kStepsOfRange);
    if (budget_.is_spent()) return to;
    const SpellingTree tree = spelling_tree(Syntax::call, characters);
    std::vector<std::uint32_t> states;
    for (std::size_t i = 0; i + 1 < tree.nodes.size(); ++i) states.push_back(add());
    states.push_back(from);
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      for (const SpellingTree::Edge& it : tree.nodes[i]) {
        const bool is_whole = it.target == SpellingTree::kWhole;
        edge(states[i], it.first, it.last, is_whole ? to : states[it.target]);
      }
    }
    return to;
  }

  std::uint32_t write_dfa(const Dfa& dfa, std::uint32_t from) {
    const std::uint32_t to = add();
    std::vector<std::uint32_t> ids;
    for (std::size_t i = 0; i < dfa.states.size() && !budget_.is_spent(); ++i) ids.push_back(add());
    if (budget_.is_spent()) return to;
    jump(from, ids[0]);
    for (std::size_t i = 0; i < dfa.states.size(); ++i) {
      for (const Dfa::Edge& it : dfa.states[i].edges)
        edge(ids[i], it.first, it.last, ids[it.target]);
      if (dfa.states[i].accepts) jump(ids[i], to);
    }
    return to;
  }

  /// Of a terminal: its shortest texts.
  void make_lazy(RuleMachines::Rule& rule) {
    const std::optional<Dfa> dfa = dfa_between(out_, rule.start, rule.end, budget_);
    if (!dfa) return;
    rule.start = add();
    rule.end = write_dfa(shortest_texts(*dfa), rule.start);
    rule.is_lazy = true;
  }

  /// Of a terminal: what parts of it have in common, or what one is not.
  std::uint32_t write_set(const Expression& what, std::uint32_t from) {
    std::vector<Dfa> in;
    std::vector<Dfa> outside;
    const auto add_part = [&](const Expression& part) {
      const bool is_outside = part.kind == Kind::complement;
      MachineWriter writer(tree_, budget_);
      writer.in_terminal_ = true;
      const std::uint32_t start = writer.add();
      const std::uint32_t end = writer.write(is_outside ? part.children.front() : part, start);
      std::optional<Dfa> dfa = dfa_between(writer.out_, start, end, budget_);
      if (dfa) (is_outside ? outside : in).push_back(std::move(*dfa));
    };
    if (what.kind == Kind::complement) add_part(what);
    if (what.kind == Kind::intersection) std::ranges::for_each(what.children, add_part);
    if (budget_.is_spent()) return from;
    const std::optional<Dfa> dfa = common_texts(in, outside, budget_);
    return dfa ? write_dfa(*dfa, from) : from;
  }

  std::uint32_t write_repeat(const Expression& what, std::uint32_t from) {
    const Expression& child = what.children.front();
    for (std::uint32_t i = 0; i < what.least && !budget_.is_spent(); ++i) {
      budget_.spend(1);
      from = write(child, from);
    }
    if (what.most == kUnbounded) {
      const std::uint32_t loop = add();
      jump(from, loop);
      jump(write(child, loop), loop);
      const std::uint32_t behind = add();
      jump(loop, behind);
      return behind;
    }
    const std::uint32_t to = add();
    jump(from, to);
    for (std::uint32_t i = what.least; i < what.most && !budget_.is_spent(); ++i) {
      from = write(child, from);
      jump(from, to);
    }
    return to;
  }

  std::uint32_t write_rule(std::uint32_t rule, std::uint32_t from) {
    const bool inlines =
        in_terminal_ || (!tree_.rules[rule].is_terminal && size_of(rule) <= kMostInlined);
    if (inlines) return write(tree_.rules[rule].body, from);
    use(rule);
    return write_call(rule, from);
  }

  std::uint32_t write_call(std::uint32_t rule, std::uint32_t from) {
    const std::uint32_t back = add();
    budget_.spend(1);
    out_.states[from].calls.push_back({rule, back});
    return back;
  }

  /// About how many states a rule takes; kLarge where it leads to a terminal or to itself.
  std::size_t size_of(std::uint32_t rule) {
    if (!sizes_[rule]) {
      sizes_[rule] = kLarge;  // for those that lead back to it
      if (!tree_.rules[rule].is_terminal) {
        sizes_[rule] = std::min(kLarge, 1 + size_of(tree_.rules[rule].body));
      }
    }
    return *sizes_[rule];
  }

  /// Not exact where it is more than kMostInlined: that is all that is asked.
  std::size_t size_of(const Expression& what) {
    if (depth_ >= kMaxDepth || budget_.is_spent()) return kLarge;
    ++depth_;
    const std::size_t size = size_within(what);
    --depth_;
    return size;
  }

  std::size_t size_within(const Expression& what) {
    budget_.spend(1);
    std::size_t size = 1;
    switch (what.kind) {
      case Kind::text:
        return what.text.size();
      case Kind::characters:
        return 1 + what.characters.size();
      case Kind::rule:
        return size_of(what.rule);
      case Kind::dfa:
        return 1 + what.dfa.states.size();
      case Kind::intersection:
      case Kind::complement:
      case Kind::automaton:
        return kLarge;
      case Kind::sequence:
      case Kind::choice:
        for (const Expression& child : what.children) {
          size += size_of(child) + 1;
          if (size > kMostInlined) break;
        }
        break;
      case Kind::repeat: {
        const std::size_t times = what.most == kUnbounded ? what.least + 1 : what.most;
        const std::size_t once = size_of(what.children.front()) + 1;
        size += once > kMostInlined || times > kMostInlined ? kLarge : once * times;
        break;
      }
    }
    return std::min(size, kLarge);
  }

  const GrammarTree& tree_;
  GrammarBudget& budget_;
  RuleMachines out_;
  AutomatonRules automata_ = AutomatonRules(out_, budget_);
  std::vector<std::uint32_t> todo_;
  std::vector<std::optional<std::size_t>> sizes_;
  std::uint32_t depth_ = 0;  // of the expressions that size_of() is in, of all rules
  bool in_terminal_ = false;
};

}  // namespace

Result<RuleMachines> make_rule_machines(const GrammarTree& tree, GrammarBudget& budget) {
  return MachineWriter(tree, budget).write();
}

}  // namespace pleiad::constrain::grammars
