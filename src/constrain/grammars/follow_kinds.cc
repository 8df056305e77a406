#include "constrain/grammars/follow_kinds.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "constrain/grammars/parser.h"

namespace pleiad::constrain::grammars {
namespace {

constexpr std::size_t kBytes = 256;

/// The kind that a character has which begins with each byte; kKinds where that is none.
const std::array<std::uint8_t, kBytes>& kinds_of_bytes() {
  static const auto all = [] {
    std::array<std::uint8_t, kBytes> out = {};
    out.fill(kKinds);
    std::ranges::copy(kinds_of_ascii(), out.begin());
    for (const auto& spelling : long_spellings()) {
      for (Symbol symbol = spelling.front().first; symbol <= spelling.front().last; ++symbol) {
        out[symbol] = kLongKind;
      }
    }
    return out;
  }();
  return all;
}

/// What may begin with one of these; kNotPlain stands for symbols that begin no plain character.
KindSet kinds_beginning_with(Symbol first, Symbol last) {
  KindSet out = last >= kBytes ? kNotPlain : 0;
  for (std::size_t symbol = first; symbol <= last && symbol < kBytes; ++symbol) {
    out |= KindSet{1} << kinds_of_bytes()[symbol];
  }
  return out;
}

/// Sets that grow until each has what it takes from others.
class Flow {
 public:
  explicit Flow(std::size_t n) : sets_(n, 0), takers_(n) {}

  void add(std::uint32_t to, KindSet kinds) {
    if ((kinds & ~sets_[to]) == 0) return;
    sets_[to] |= kinds;
    todo_.push_back(to);
  }
  void let_take(std::uint32_t from, std::uint32_t to) {
    if (from != to) takers_[from].push_back(to);
    add(to, sets_[from]);
  }
  void run() {
    while (!todo_.empty()) {
      const std::uint32_t from = todo_.back();
      todo_.pop_back();
      for (const std::uint32_t to : takers_[from]) add(to, sets_[from]);
    }
  }
  const std::vector<KindSet>& sets() const { return sets_; }

 private:
  std::vector<KindSet> sets_;
  std::vector<std::vector<std::uint32_t>> takers_;
  std::vector<std::uint32_t> todo_;
};

/// Of each state: what the rest of its rule may begin with.
std::vector<KindSet> first_kinds(const Network& network) {
  Flow flow(network.states.size());
  for (StateId state = 0; state < network.states.size(); ++state) {
    for (const Network::Edge& edge : network.states[state].edges) {
      flow.add(state, kinds_beginning_with(edge.first, edge.last));
    }
    for (const Network::Call& call : network.states[state].calls) {
      flow.let_take(network.rules[call.rule].start, state);  // no rule is empty
    }
  }
  flow.run();
  return flow.sets();
}

}  // namespace

std::vector<KindSet> follow_kinds(const Network& network) {
  const std::vector<KindSet> first = first_kinds(network);
  // What may follow the rule of a state may follow that of all states that it leads to.
  Flow flow(network.states.size());
  for (StateId state = 0; state < network.states.size(); ++state) {
    for (const Network::Edge& edge : network.states[state].edges) flow.let_take(state, edge.target);
    for (const Network::Call& call : network.states[state].calls) {
      const StateId callee = network.rules[call.rule].start;
      flow.add(callee, first[call.back]);
      if (network.states[call.back].is_final) flow.let_take(call.back, callee);
      flow.let_take(state, call.back);
    }
  }
  flow.run();
  return flow.sets();
}

KindSet kinds_read_by(const Network& network, StateId state) {
  if (state == kNoLongest) return 0;
  std::array<bool, kBytes> reads = {};
  for (const Network::Edge& edge : network.states[state].edges) {
    for (std::size_t symbol = edge.first; symbol <= edge.last && symbol < kBytes; ++symbol) {
      reads[symbol] = true;
    }
  }
  KindSet out = kAllKinds;
  for (std::size_t byte = 0; byte < kBytes; ++byte) {
    if (!reads[byte]) out &= ~(KindSet{1} << kinds_of_bytes()[byte]);
  }
  return out & kAllKinds;
}

}  // namespace pleiad::constrain::grammars
