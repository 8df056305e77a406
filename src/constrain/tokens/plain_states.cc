#include "constrain/tokens/plain_states.h"

#include <algorithm>
#include <bitset>
#include <utility>

#include "constrain/mix_hash.h"

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
  return known_.size() * (sizeof(Known) + kOfIndex) + n_steps_ * sizeof(Step) +
         long_.size() * kOfIndex + long_bytes_;
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
    for (const StateId each : region_) known_[each].has_reach = true;
  }
  return found.reach;
}

const PlainStates::Known& PlainStates::with_steps(StateId state) {
  Known& found = known_[state];
  if (!found.has_steps) {
    find_steps(state, found);
    found.has_steps = true;
    n_steps_ += found.steps.size();
  }
  return found;
}

void PlainStates::add_step(Known& from, StateId to, KindSet kinds) {
  auto step = std::ranges::find(from.steps, to, &Step::to);
  if (step == from.steps.end()) step = from.steps.insert(step, {to, 0});
  step->kinds |= kinds;
}

void PlainStates::find_steps(StateId state, Known& out) {
  const auto& kinds = kinds_of_ascii();
  std::bitset<kAsciiSymbols> covered;
  const std::uint32_t height = automaton_.height(state);
  const auto leads_on_to = [&](StateId to) {
    return is_amid_text(to) && automaton_.height(to) <= height;
  };
  for (const Edge& edge : automaton_.edges(state)) {
    if (edge.first >= kAsciiSymbols || !only_reads(edge) || !leads_on_to(edge.target)) continue;
    KindSet read = 0;
    for (std::size_t c = edge.first; c <= edge.last && c < kAsciiSymbols; ++c) {
      if (kinds[c] == kKinds || covered[c]) continue;
      covered.set(c);
      read |= KindSet{1} << kinds[c];
    }
    if (read != 0) add_step(out, edge.target, read);
  }
  out.living = kAllKinds;
  for (std::size_t c = 0; c < kAsciiSymbols; ++c) {
    if (kinds[c] != kKinds && !covered[c]) out.living &= ~(KindSet{1} << kinds[c]);
  }
  const Long& reads_long = read_long(state);
  for (const StateId to : reads_long.to) add_step(out, to, KindSet{1} << kLongKind);
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
  Long found = {height, beyond_, false, {}};
  found.leads_on = std::ranges::all_of(long_spellings(), [&](const Spelling& spelling) {
    return leads_on(state, spelling, 0, found);
  });
  long_bytes_ +=
      sizeof(Long) + found.edges.size() * sizeof(Edge) + found.to.size() * sizeof(StateId);
  return long_.emplace(hash, std::move(found))->second;
}

const Edge* PlainStates::edge(StateId from, Symbol symbol) const {
  const std::uint32_t height = automaton_.height(from);
  for (const Edge& edge : automaton_.edges(from)) {
    if (symbol >= edge.first && symbol <= edge.last && only_reads(edge) &&
        is_amid_text(edge.target) && automaton_.height(edge.target) <= height) {
      return &edge;
    }
  }
  return nullptr;
}

/// Whether all that is spelled so leads on, and the states that it leads to. A character counts
/// once at most: nothing that counts is read amid one.
bool PlainStates::leads_on(StateId from, const Spelling& spelling, std::size_t at, Long& out) {
  for (std::uint32_t symbol = spelling[at].first; symbol <= spelling[at].last;) {
    const Edge* const found = edge(from, static_cast<Symbol>(symbol));
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
  region_ = {state};
  places_ = {{state, 0}};
  const bool has_all = kinds == kAllKinds;
  const std::size_t most = has_all ? kMostStates : kMostOfSomeKinds;
  for (std::size_t i = 0; i < region_.size(); ++i) {
    n_looked_ += has_all ? 1 : kWeightOfSomeKinds;
    if (region_.size() > most || n_looked_ > kMostLooked) return false;
    for (const Step& step : with_steps(region_[i]).steps) {
      if ((step.kinds & kinds) == 0) continue;
      const auto place = static_cast<std::uint32_t>(region_.size());
      if (places_.try_emplace(step.to, place).second) region_.push_back(step.to);
    }
  }
  return true;
}

/// How many characters of the region's kinds may be read from each of its states of which all these
/// lead on: as many as on the shortest way to one of which some do not.
void PlainStates::measure(KindSet kinds) {
  std::vector<std::vector<std::uint32_t>> before(region_.size());
  std::vector<std::uint32_t> most(region_.size(), PlainReach::kForever);
  std::vector<std::uint32_t> todo;  // the nearest first
  KindSet forever = kinds;
  for (std::uint32_t place = 0; place < region_.size(); ++place) {
    const Known& from = known_[region_[place]];
    if ((kinds & ~from.living) != 0) {
      forever &= from.living;
      most[place] = 0;
      todo.push_back(place);
    }
    for (const Step& step : from.steps) {
      if ((step.kinds & kinds) != 0) before[places_[step.to]].push_back(place);
    }
  }
  for (std::size_t i = 0; i < todo.size(); ++i) {
    for (const std::uint32_t place : before[todo[i]]) {
      if (most[place] != PlainReach::kForever) continue;
      most[place] = most[todo[i]] + 1;
      todo.push_back(place);
    }
  }
  for (std::uint32_t place = 0; place < region_.size(); ++place) {
    Known& of = known_[region_[place]];
    if (of.living != kinds || of.has_reach) continue;
    const bool ends = most[place] != PlainReach::kForever;
    of.reach = {.kinds = kinds, .most = most[place], .kinds_forever = ends ? forever : kinds};
    of.has_reach = true;
  }
}

}  // namespace pleiad::constrain
