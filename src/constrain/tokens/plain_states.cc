#include "constrain/tokens/plain_states.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "constrain/mix_hash.h"
#include "constrain/tokens/ascii_set.h"

namespace pleiad::constrain {
namespace {

/// States that text of any characters leads to from one, and text of some kinds, which is seldom
/// told much of; where that are more, nothing is told of any of them.
constexpr std::size_t kMostStates = 3'000;
constexpr std::size_t kMostOfSomeKinds = 500;
/// States of all regions of a table, where a state may lie in several; those of some kinds weigh
/// more. Beyond it nothing is told.
constexpr std::size_t kMostLooked = 4'000;
constexpr std::size_t kWeightOfSomeKinds = 4;

/// Whether it only reads, and at most counts.
bool only_reads(const Edge& edge) {
  return !edge.needs_none && !edge.opens_set && !edge.wants_item && !edge.closes_set &&
         edge.key == 0 && edge.object == 0;
}

bool reads_alike(const Edge& left, const Edge& right) {
  return left.first == right.first && left.last == right.last && left.target == right.target &&
         left.counts == right.counts && only_reads(left) == only_reads(right);
}

}  // namespace

std::size_t PlainStates::memory_bytes() const {
  constexpr std::size_t kOfIndex = 4 * sizeof(std::uint64_t);
  return known_.size() * sizeof(Known) + places_.capacity() * sizeof(std::uint32_t) +
         steps_.memory_bytes() + long_.size() * kOfIndex + long_bytes_;
}

bool PlainStates::is_amid_text(StateId state) const {
  return !automaton_.is_final(state) && automaton_.calls(state).empty() &&
         automaton_.jumps(state).empty() && automaton_.height(state) < Automaton::kNever;
}

PlainReach PlainStates::of(StateId state) {
  if (!is_amid_text(state)) return {};
  const Known& found = with_steps(state);
  if (found.has_reach) return found.reach;
  region_ = {state};
  if (found.living != 0 && find_region(state, found.living)) {
    measure(found.living);
  } else {
    for (const StateId each : region_) known(each).has_reach = true;
  }
  return found.reach;
}

PlainStates::Known& PlainStates::known(StateId state) {
  if (state >= places_.size()) places_.resize(automaton_.n_states(), 0);
  std::uint32_t& place = places_[state];
  if (place == 0) {
    known_.emplace_back();
    place = static_cast<std::uint32_t>(known_.size());
  }
  return known_[place - 1];
}

const PlainStates::Known& PlainStates::with_steps(StateId state) {
  Known& found = known(state);
  if (!found.has_steps) {
    found_.clear();
    find_steps(state, found);
    const std::span<Step> steps = steps_.add(found_.size());
    std::ranges::copy(found_, steps.begin());
    found.steps = steps;
    found.has_steps = true;
  }
  return found;
}

void PlainStates::add_step(StateId to, KindSet kinds) {
  auto step = std::ranges::find(found_, to, &Step::to);
  if (step == found_.end()) step = found_.insert(step, {to, 0});
  step->kinds |= kinds;
}

void PlainStates::find_steps(StateId state, Known& out) {
  AsciiSet covered;
  const std::uint32_t height = automaton_.height(state);
  for (const Edge& edge : automaton_.edges(state)) {
    if (edge.first >= kAsciiSymbols || !leads_on(edge, height)) continue;
    const AsciiSet range = AsciiSet::of_range(edge.first, edge.last);
    const KindSet read = kinds_in(range.without(covered));
    covered.add(range);
    if (read != 0) add_step(edge.target, read);
  }
  out.living = kAllKinds & ~kinds_in(AsciiSet::of_range(0, kAsciiSymbols - 1).without(covered));
  const Long& reads_long = read_long(state);
  for (const StateId to : reads_long.to) add_step(to, KindSet{1} << kLongKind);
  if (!reads_long.leads_on) out.living &= ~(KindSet{1} << kLongKind);
}

const PlainStates::Long& PlainStates::read_long(StateId state) {
  const std::uint32_t height = automaton_.height(state);
  std::uint64_t hash = height;
  beyond_.clear();
  for (const Edge& edge : automaton_.edges(state)) {
    if (edge.last < kAsciiSymbols || edge.first >= kFirstTag) continue;
    beyond_.push_back(edge);
    hash = mix_hash(mix_hash(hash, edge.target), edge.first * kSymbols + edge.last);
  }
  const auto [begin, end] = long_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    const Long& known = it->second;
    if (known.height == height && std::ranges::equal(known.edges, beyond_, reads_alike)) {
      return known;
    }
  }
  leading_.clear();
  std::ranges::copy_if(beyond_, std::back_inserter(leading_),
                       [&](const Edge& edge) { return leads_on(edge, height); });
  Long found = {height, beyond_, false, {}};
  found.leads_on = std::ranges::all_of(long_spellings(), [&](const Spelling& spelling) {
    return leads_on(state, spelling, 0, found);
  });
  long_bytes_ +=
      sizeof(Long) + found.edges.size() * sizeof(Edge) + found.to.size() * sizeof(StateId);
  return long_.emplace(hash, std::move(found))->second;
}

bool PlainStates::leads_on(const Edge& edge, std::uint32_t height) const {
  return only_reads(edge) && is_amid_text(edge.target) && automaton_.height(edge.target) <= height;
}

const Edge* PlainStates::edge(StateId from, Symbol symbol) const {
  const std::uint32_t height = automaton_.height(from);
  for (const Edge& edge : automaton_.edges(from)) {
    if (symbol >= edge.first && symbol <= edge.last && leads_on(edge, height)) return &edge;
  }
  return nullptr;
}

const Edge* PlainStates::leading_edge(Symbol symbol) const {
  const auto found = std::ranges::find_if(
      leading_, [&](const Edge& edge) { return symbol >= edge.first && symbol <= edge.last; });
  return found == leading_.end() ? nullptr : &*found;
}

/// Whether all that is spelled so leads on, and the states that it leads to. A character counts
/// once at most: nothing that counts is read amid one.
bool PlainStates::leads_on(StateId from, const Spelling& spelling, std::size_t at, Long& out) {
  for (std::uint32_t symbol = spelling[at].first; symbol <= spelling[at].last;) {
    const Edge* const found = at == 0 ? leading_edge(static_cast<Symbol>(symbol))
                                      : edge(from, static_cast<Symbol>(symbol));
    if (found == nullptr || (found->counts && at > 0)) return false;
    if (at + 1 == spelling.size()) {
      if (std::ranges::find(out.to, found->target) == out.to.end()) {
        out.to.push_back(found->target);
      }
    } else if (!leads_on(found->target, spelling, at + 1, out)) {
      return false;
    }
    symbol = std::uint32_t{found->last} + 1;
  }
  return true;
}

/// All states that texts of these kinds lead to, the first one among them; false, and only some,
/// where these are too many.
bool PlainStates::find_region(StateId state, KindSet kinds) {
  region_.clear();
  ++n_regions_;
  const auto add = [&](StateId each) {
    Known& of = known(each);
    if (of.region == n_regions_) return;
    of.region = n_regions_;
    of.place = static_cast<std::uint32_t>(region_.size());
    region_.push_back(each);
  };
  add(state);
  const bool has_all = kinds == kAllKinds;
  const std::size_t most = has_all ? kMostStates : kMostOfSomeKinds;
  for (std::size_t i = 0; i < region_.size(); ++i) {
    n_looked_ += has_all ? 1 : kWeightOfSomeKinds;
    if (region_.size() > most || n_looked_ > kMostLooked) return false;
    for (const Step& step : with_steps(region_[i]).steps) {
      if ((step.kinds & kinds) != 0) add(step.to);
    }
  }
  return true;
}

/// How many characters of the region's kinds may be read from each of its states of which all these
/// lead on: as many as on the shortest way to one of which some do not.
void PlainStates::measure(KindSet kinds) {
  // The places from which a step leads to each, those to the first one first.
  std::vector<std::uint32_t> begin(region_.size() + 2, 0);
  const auto for_each_step = [&](auto act) {
    for (std::uint32_t place = 0; place < region_.size(); ++place) {
      for (const Step& step : known(region_[place]).steps) {
        if ((step.kinds & kinds) != 0) act(place, known(step.to).place);
      }
    }
  };
  for_each_step([&](std::uint32_t, std::uint32_t to) { ++begin[to + 2]; });
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::uint32_t> before(begin.back());
  for_each_step([&](std::uint32_t from, std::uint32_t to) { before[begin[to + 1]++] = from; });

  std::vector<std::uint32_t> most(region_.size(), PlainReach::kForever);
  std::vector<std::uint32_t> todo;  // the nearest first
  KindSet forever = kinds;
  for (std::uint32_t place = 0; place < region_.size(); ++place) {
    const Known& from = known(region_[place]);
    if ((kinds & ~from.living) == 0) continue;
    forever &= from.living;
    most[place] = 0;
    todo.push_back(place);
  }
  for (std::size_t i = 0; i < todo.size(); ++i) {
    for (std::uint32_t at = begin[todo[i]]; at < begin[todo[i] + 1]; ++at) {
      const std::uint32_t place = before[at];
      if (most[place] != PlainReach::kForever) continue;
      most[place] = most[todo[i]] + 1;
      todo.push_back(place);
    }
  }
  for (std::uint32_t place = 0; place < region_.size(); ++place) {
    Known& of = known(region_[place]);
    if (of.living != kinds || of.has_reach) continue;
    const bool ends = most[place] != PlainReach::kForever;
    of.reach = {.kinds = kinds, .most = most[place], .kinds_forever = ends ? forever : kinds};
    of.has_reach = true;
  }
}

}  // namespace pleiad::constrain
