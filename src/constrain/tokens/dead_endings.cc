#include "constrain/tokens/dead_endings.h"

#include <algorithm>
#include <utility>

namespace pleiad::constrain {
namespace {

constexpr std::size_t kMostPlaces = 600;
/// Of one text, behind which so many symbols are told.
constexpr std::size_t kMostPlacesBack = 24;
/// Arcs, on all ways back.
constexpr std::size_t kMostArcsLooked = 50'000;
constexpr KindSet kBeyondAsciiKinds = KindSet{1} << kLongKind;

constexpr AsciiSet also_in(const AsciiSet& a, const AsciiSet& b) { return a.without(a.without(b)); }

bool is_empty_set(const AsciiSet& set) { return (set.words[0] | set.words[1]) == 0; }

AsciiSet find_plain_ascii() {
  AsciiSet out;
  for (Symbol symbol = 0; symbol < kAsciiSymbols; ++symbol) {
    if (kinds_of_ascii()[symbol] != kKinds) out.add(AsciiSet::of_range(symbol, symbol));
  }
  return out;
}

const AsciiSet& plain_ascii() {
  static const AsciiSet out = find_plain_ascii();
  return out;
}

}  // namespace

bool DeadEndings::find(StateId start, std::uint32_t most_characters,
                       std::vector<TextEnding>& endings) {
  const bool is_found = find_places(start, most_characters);
  for (const StateId state : places_) numbers_[state] = 0;
  if (!is_found) return false;
  sort_arcs();
  seen_.assign(places_.size(), 0);
  n_steps_back_ = 0;
  n_looked_ = 0;
  return std::ranges::all_of(ends_, [&](const DeadEnd& end) { return add_ending(end, endings); });
}

/// All states that texts of fewer characters lead to, what leads from one to another, and what does
/// not lead on.
bool DeadEndings::find_places(StateId start, std::uint32_t most_characters) {
  numbers_.resize(automaton_.n_states(), 0);
  places_.clear();
  arcs_.clear();
  ends_.clear();
  if (!states_.is_amid_text(start)) return false;
  place_of(start);
  std::uint32_t place = 0;
  for (std::uint32_t n_characters = 1; n_characters <= most_characters; ++n_characters) {
    for (const std::size_t end = places_.size(); place < end; ++place) {
      if (!look_at(place, n_characters < most_characters)) return false;
    }
  }
  return true;
}

std::uint32_t DeadEndings::place_of(StateId state) {
  std::uint32_t& number = numbers_[state];
  if (number == 0) {
    places_.push_back(state);
    number = static_cast<std::uint32_t>(places_.size());
  }
  return number - 1;
}

/// That which leads so, of those from `first` on.
DeadEndings::Arc& DeadEndings::arc(std::size_t first, std::uint32_t from, std::uint32_t to) {
  const auto begin = arcs_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto found =
      std::find_if(begin, arcs_.end(), [&](const Arc& each) { return each.to == to; });
  return found != arcs_.end() ? *found : arcs_.emplace_back(Arc{from, to, {}});
}

/// `goes_on`: other characters may follow what is read there.
bool DeadEndings::look_at(std::uint32_t place, bool goes_on) {
  const StateId state = places_[place];
  if ((states_.living(state) & kBeyondAsciiKinds) == 0 || places_.size() > kMostPlaces)
    return false;
  const std::size_t first_arc = arcs_.size();
  const std::uint32_t height = automaton_.height(state);
  AsciiSet living;
  for (const Edge& edge : automaton_.edges(state)) {
    if (edge.first >= kAsciiSymbols || !states_.leads_on(edge, height)) continue;
    const AsciiSet read = also_in(AsciiSet::of_range(edge.first, edge.last), plain_ascii());
    if (is_empty_set(read)) continue;
    living.add(read);
    if (goes_on) arc(first_arc, place, place_of(edge.target)).symbols.ascii.add(read);
  }
  for (const PlainStates::Step& step : states_.steps(state)) {
    if (!goes_on || (step.kinds & kBeyondAsciiKinds) == 0) continue;
    arc(first_arc, place, place_of(step.to)).symbols.is_beyond_ascii = true;
  }
  const AsciiSet dead = plain_ascii().without(living);
  if (!is_empty_set(dead)) ends_.push_back({place, dead});
  return true;
}

void DeadEndings::sort_arcs() {
  std::ranges::stable_sort(arcs_, {}, &Arc::to);
  arcs_begin_.assign(places_.size() + 1, 0);
  for (const Arc& each : arcs_) ++arcs_begin_[each.to + 1];
  for (std::size_t i = 1; i < arcs_begin_.size(); ++i) arcs_begin_[i] += arcs_begin_[i - 1];
}

bool DeadEndings::add_ending(const DeadEnd& end, std::vector<TextEnding>& endings) {
  TextEnding out;
  out.last.fill(TextEnding::any());
  out.last[0] = {end.characters, false, false};
  std::vector<std::uint32_t> places = {end.place};
  for (std::size_t i = 1; i < out.last.size(); ++i) {
    out.last[i] = before(places);
    if (out.last[i - 1].is_none) out.last[i].is_none = true;
    // Behind a part of a character, or nothing, all is left open.
    if (out.last[i].is_beyond_ascii || places.empty() || places.size() > kMostPlacesBack) break;
  }
  endings.push_back(out);
  return n_looked_ <= kMostArcsLooked;
}

/// What may be read last on the way to these places; and from where it is.
TextEnding::One DeadEndings::before(std::vector<std::uint32_t>& places) {
  TextEnding::One out;
  std::vector<std::uint32_t> from;
  ++n_steps_back_;
  for (const std::uint32_t place : places) {
    if (place == 0) out.is_none = true;  // the text begins there
    for (std::uint32_t at = arcs_begin_[place]; at < arcs_begin_[place + 1]; ++at) {
      const Arc& each = arcs_[at];
      ++n_looked_;
      out.ascii.add(each.symbols.ascii);
      out.is_beyond_ascii = out.is_beyond_ascii || each.symbols.is_beyond_ascii;
      if (seen_[each.from] == n_steps_back_) continue;
      seen_[each.from] = n_steps_back_;
      from.push_back(each.from);
    }
  }
  places = std::move(from);
  return out;
}

}  // namespace pleiad::constrain
