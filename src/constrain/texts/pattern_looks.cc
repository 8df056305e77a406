#include "constrain/texts/pattern_looks.h"

#include <algorithm>

#include "base/result.h"
#include "constrain/texts/pattern_classes.h"
#include "constrain/texts/pattern_threads.h"

namespace pleiad::constrain {
namespace {

using Kind = PatternNode::Kind;
using Outcome = PatternLooks::Outcome;

constexpr std::uint32_t kNone = UINT32_MAX;

PatternNode word_ahead(bool is_negated) {
  PatternNode node{.kind = Kind::ahead, .is_negated = is_negated};
  node.children.push_back({.kind = Kind::characters, .characters = word_characters()});
  return node;
}

/// The state that leads to itself by all symbols.
std::uint32_t everything_of(const Dfa& dfa) {
  for (std::uint32_t i = 0; i < dfa.states.size(); ++i) {
    const std::vector<Dfa::Edge>& edges = dfa.states[i].edges;
    const bool is_loop =
        edges.size() == 1 && edges[0].target == i && edges[0].first == 0 && edges[0].last == 0xFF;
    if (is_loop && dfa.states[i].accepts) return i;
  }
  return kNone;
}

}  // namespace

PatternLooks::PatternLooks(Syntax syntax, std::size_t& work)
    : syntax_(syntax), work_(work), word_(word_ahead(false)), no_word_(word_ahead(true)) {}

Outcome PatternLooks::ask(const PatternNode& condition, Before before, bool at_end) {
  switch (condition.kind) {
    case Kind::begin:
      return {before == Before::nothing};
    case Kind::end:
      return {at_end};
    case Kind::boundary:
      return look((before == Before::word) == condition.is_negated ? word_ : no_word_, before);
    default:
      return look(condition, before);
  }
}

Outcome PatternLooks::look(const PatternNode& ahead, Before before) {
  if (before == Before::word && !ahead.asks_word) before = Before::other;
  if (before == Before::nothing && !ahead.asks_word && !ahead.asks_begin) before = Before::other;
  const auto [found, is_new] = known_.try_emplace({&ahead, before}, 0);
  if (is_new) {
    Result<Dfa> dfa = span_dfa(ahead.children.front(), PatternSpan::begin, before, {}, *this);
    if (!dfa) {
      is_too_large_ = true;
      dfa = Dfa{.states = {{}}};
    }
    found->second = static_cast<std::uint32_t>(looks_.size());
    const std::uint32_t everything = everything_of(dfa.value());
    looks_.push_back({std::move(dfa).value(), ahead.is_negated, everything});
  }
  return outcome_of({found->second, 0});
}

Outcome PatternLooks::outcome_of(Promise promise) const {
  const Look& look = looks_[promise.look];
  if (promise.state == kNone) return {look.is_negated};
  if (promise.state == look.everything) return {!look.is_negated};
  return {false, promise};
}

std::optional<Promises> PatternLooks::after(const Promises& promises, Symbol symbol) {
  Promises out;
  for (const Promise& promise : promises) {
    std::uint32_t state = kNone;
    spend(edges(promise).size());
    for (const Dfa::Edge& edge : edges(promise)) {
      if (edge.first <= symbol && symbol <= edge.last) state = edge.target;
    }
    const Outcome outcome = outcome_of({promise.look, state});
    if (outcome.promise) {
      out.push_back(*outcome.promise);
    } else if (!outcome.holds) {
      return std::nullopt;
    }
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

bool PatternLooks::kept_at_end(const Promises& promises) const {
  return std::ranges::all_of(promises, [&](const Promise& promise) {
    const Look& look = looks_[promise.look];
    return look.dfa.states[promise.state].accepts != look.is_negated;
  });
}

const std::vector<Dfa::Edge>& PatternLooks::edges(const Promise& promise) const {
  return looks_[promise.look].dfa.states[promise.state].edges;
}

}  // namespace pleiad::constrain
