#include "constrain/tokens/plain_text.h"

#include <algorithm>
#include <bit>
#include <unordered_set>
#include <utility>

namespace pleiad::constrain {
namespace {

constexpr int kFewKinds = 2;

/// Calls each(set) for what reading the characters, which are in order, makes of a set, once for
/// all that it does not tell apart; false as soon as one call gives false.
template <typename Each>
bool all_after(ReadSets& sets, ReadSets::Id from, std::string_view ascii, Each each) {
  std::size_t apart = 0;
  for (const char c : ascii) {
    if (symbol_of(c) < apart) continue;
    if (!each(sets.read(from, symbol_of(c)))) return false;
    apart = sets.next_apart(from, symbol_of(c));
  }
  return true;
}

/// The same of a range.
template <typename Each>
bool all_after(ReadSets& sets, ReadSets::Id from, const SymbolRange& range, Each each) {
  for (std::size_t symbol = range.first; symbol <= range.last;) {
    if (!each(sets.read(from, static_cast<Symbol>(symbol)))) return false;
    symbol = sets.next_apart(from, static_cast<Symbol>(symbol));
  }
  return true;
}

}  // namespace

PlainTexts::Known& PlainTexts::known(Id id) {
  const auto index = static_cast<std::size_t>(id);
  if (index >= known_.size()) known_.resize(std::max(index + 1, 2 * known_.size()));
  return known_[index];
}

std::size_t PlainTexts::memory_bytes() const {
  return known_.capacity() * sizeof(Known) + n_steps_ * sizeof(Step);
}

void PlainTexts::note(Id reached) { deepest_ = std::max(deepest_, sets_.facts(reached).deepest); }

/// Of a set that a part of a character led to. False where something ends there, amid a character:
/// what may follow then is none of the kinds.
bool PlainTexts::note_part(Id reached) {
  note(reached);
  return sets_.facts(reached).behind_end == 0;
}

const PlainReach& PlainTexts::reach(Id id) {
  if (!known(id).has_reach) {
    PlainReach told = sets_.plain_reach(id);
    if (told.most >= longest_) told.kinds_forever = told.kinds;
    known(id).reach = told;
    known(id).has_reach = true;
  }
  return known(id).reach;
}

bool PlainTexts::tells_enough(const PlainReach& reach) {
  return std::popcount(reach.kinds_forever) + kFewKinds >= static_cast<int>(kKinds);
}

const PlainText& PlainTexts::of(Id id) {
  if (!known(id).has_plain) {
    const PlainText found = follow_most(id);
    known(id).plain = found;
    known(id).has_plain = true;
  }
  const PlainText& now = known(id).plain;
  const bool is_all =
      now.kinds == kAllKinds && (now.most == PlainText::kForever || now.dead_behind == kAllKinds);
  if (!is_all && !known(id).was_explored && !tells_enough(reach(id))) explore(id);
  return known(id).plain;
}

/// Goes where most kinds lead, with these on to where most of them lead, until they go round or no
/// further.
PlainText PlainTexts::follow_most(Id id) {
  PlainText found = {kAllKinds, 0, sets_.facts(id).deepest, kAllKinds, 0, 0};
  for (Id at = id;;) {
    const std::array<Id, kKinds>& after = after_kinds(at);
    KindSet best = 0;
    Id to = ReadSets::kDead;
    KindSet dead = 0;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      if (after[kind] == ReadSets::kDead) dead |= KindSet{1} << kind;
      if (after[kind] < 0 || after[kind] == to) continue;
      KindSet alike = 0;
      for (std::size_t other = kind; other < kKinds; ++other) {
        if (after[other] == after[kind]) alike |= KindSet{1} << other;
      }
      alike &= found.kinds;
      if (std::popcount(alike) <= std::popcount(best)) continue;
      best = alike;
      to = after[kind];
    }
    found.dead &= dead;
    found.dead_behind = dead;
    if (best == 0) return found;
    found.kinds = best;
    found.deepest = std::max(found.deepest, known(at).deepest_of_kinds);
    found.behind_end |= sets_.facts(to).behind_end;
    ++found.most;
    // Counters that tables begin with end before.
    if (to == at || found.most > longest_ + 2) {
      found.most = PlainText::kForever;
      return found;
    }
    at = to;
  }
}

PlainTexts::Way PlainTexts::follow(Id id, KindSet kinds, std::uint32_t most_characters) {
  Way way = {id, 0, sets_.facts(id).deepest};
  while (way.n_characters < most_characters && sets_.facts(way.to).behind_end == 0) {
    const std::array<Id, kKinds>& after = after_kinds(way.to);
    const Id to = after[static_cast<std::size_t>(std::countr_zero(kinds))];
    if (to < 0) break;
    KindSet alike = 0;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      if (after[kind] == to) alike |= KindSet{1} << kind;
    }
    if ((kinds & ~alike) != 0) break;
    way.deepest = std::max(way.deepest, known(way.to).deepest_of_kinds);
    way.to = to;
    ++way.n_characters;
  }
  return way;
}

KindSet PlainTexts::kinds_next(Id id) {
  const std::array<Id, kKinds>& after = after_kinds(id);
  KindSet out = 0;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if (after[kind] != ReadSets::kDead) out |= KindSet{1} << kind;
  }
  return out;
}

const std::array<PlainTexts::Id, kKinds>& PlainTexts::after_kinds(Id from) {
  if (!known(from).has_after_kinds) {
    std::array<Id, kKinds> found = {};
    deepest_ = 0;
    for (std::size_t kind = 0; kind < kKinds; ++kind) found[kind] = after_kind(from, kind);
    Known& now = known(from);
    now.after_kinds = found;
    now.has_after_kinds = true;
    now.deepest_of_kinds = deepest_;
  }
  return known(from).after_kinds;
}

/// The set that each character of the kind leads to, kDead; or kUnknown where they differ.
PlainTexts::Id PlainTexts::after_kind(Id from, std::size_t kind) {
  const auto found = [&](Id to) {
    if (to >= 0) note(to);
    return to;
  };
  const std::string_view ascii = ascii_of(kind);
  if (!ascii.empty()) {
    const Id to = sets_.read(from, symbol_of(ascii.front()));
    const bool alike = all_after(sets_, from, ascii, [&](Id next) { return next == to; });
    return alike ? found(to) : kUnknown;
  }
  const auto& all = long_spellings();
  const Id to = after_spelling(from, all.front(), 0);
  if (to == kUnknown) return kUnknown;
  for (const auto& spelling : all) {
    if (after_spelling(from, spelling, 0) != to) return kUnknown;
  }
  return found(to);
}

PlainTexts::Id PlainTexts::after_spelling(Id from, const std::vector<SymbolRange>& spelling,
                                          std::size_t at) {
  if (at == spelling.size()) return from;
  Id last = kUnknown;  // the set after the symbols before
  Id to = kUnknown;
  const bool alike = all_after(sets_, from, spelling[at], [&](Id next) {
    if (next == last) return true;
    Id reached = ReadSets::kDead;
    if (next != ReadSets::kDead) {
      if (at + 1 < spelling.size() && !note_part(next)) return false;
      reached = after_spelling(next, spelling, at + 1);
      if (reached == kUnknown) return false;
    }
    if (last != kUnknown && reached != to) return false;
    last = next;
    to = reached;
    return true;
  });
  return alike ? to : kUnknown;
}

/// Where characters lead to many sets: whether some kinds lead on from each of them, for ever, as
/// they do in a string that has to hold a word somewhere.
void PlainTexts::explore(Id id) {
  known(id).was_explored = true;
  explored_.clear();
  PlainText found = {living_kinds(id, kAllKinds), PlainText::kForever, sets_.facts(id).deepest};
  while (found.kinds != 0 && !explore(id, found)) {
  }
  if (found.kinds == 0) {
    for (const Id each : explored_) known(each).was_explored = true;
    return;
  }
  const PlainText now = known(id).plain;
  if (std::popcount(found.kinds) <= std::popcount(now.kinds) && now.most > 1) return;
  found.dead = kAllKinds & ~found.kinds;
  for (const Id each : explored_) {
    if (found.dead != 0) found.dead &= dead_kinds(each);
  }
  known(id).plain = found;
  if (found.kinds != kAllKinds) return;  // others may have more of them
  for (const Id each : explored_) {
    Known& of_each = known(each);
    of_each.plain = found;
    of_each.has_plain = true;
    of_each.was_explored = true;
  }
}

/// True where the kinds of `found` lead on from every set that they lead to; else some are taken
/// from them, all where there are too many sets.
bool PlainTexts::explore(Id id, PlainText& found) {
  explored_ = {id};
  found.behind_end = 0;
  std::unordered_set<Id> seen = {id};
  std::size_t n_ways = sets_.facts(id).n_ways;
  for (std::size_t i = 0; i < explored_.size(); ++i) {
    const Id from = explored_[i];
    found.deepest = std::max(found.deepest, known(from).deepest_of_steps);
    for (std::size_t at = 0; at < known(from).steps.size(); ++at) {
      const Step step = known(from).steps[at];
      if ((step.kinds & found.kinds) == 0) continue;
      found.behind_end |= sets_.facts(step.to).behind_end;
      if (!seen.insert(step.to).second) continue;
      n_ways += sets_.facts(step.to).n_ways;
      n_explored_ += sets_.facts(step.to).n_ways;
      if (n_ways > most_explored_ || n_explored_ > 2 * most_explored_ || !sets_.has_room()) {
        found.kinds = 0;
        return false;
      }
      // What leads to where little is left is the exception, not what is left there.
      const KindSet lost = found.kinds & ~living_kinds(step.to, found.kinds);
      if (lost != 0) {
        found.kinds &= std::popcount(lost) > kFewKinds ? ~step.kinds : ~lost;
        return false;
      }
      explored_.push_back(step.to);
    }
  }
  return true;
}

/// Of these kinds, those of which no character is dead; where they lead to is among the steps of
/// the set from then on.
KindSet PlainTexts::living_kinds(Id from, KindSet kinds) {
  const KindSet left = kinds & ~known(from).followed;
  std::vector<Id> to;
  deepest_ = 0;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if ((left >> kind & 1) == 0) continue;
    to.clear();
    const bool lives = leads_on(from, kind, to);
    Known& now = known(from);
    now.followed |= KindSet{1} << kind;
    now.deepest_of_steps = std::max(now.deepest_of_steps, deepest_);
    if (!lives) continue;
    now.living |= KindSet{1} << kind;
    for (const Id next : to) add_step(now, next, kind);
  }
  return kinds & known(from).living;
}

void PlainTexts::add_step(Known& from, Id to, std::size_t kind) {
  auto step = std::ranges::find(from.steps, to, &Step::to);
  if (step == from.steps.end()) {
    step = from.steps.insert(step, {to, 0});
    ++n_steps_;
  }
  step->kinds |= KindSet{1} << kind;
}

KindSet PlainTexts::dead_kinds(Id from) {
  const auto is_dead = [](Id to) { return to == ReadSets::kDead; };
  KindSet out = 0;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const bool dead =
        kind == kLongKind
            ? std::ranges::all_of(long_spellings(),
                                  [&](const std::vector<SymbolRange>& spelling) {
                                    return all_after(sets_, from, spelling.front(), is_dead);
                                  })
            : all_after(sets_, from, ascii_of(kind), is_dead);
    if (dead) out |= KindSet{1} << kind;
  }
  return out;
}

/// Asked of one character of each kind.
bool PlainTexts::may_have(Id id, KindSet kinds) {
  KindSet asked = known(id).asked;
  KindSet alive = known(id).alive;
  while ((kinds & asked & ~alive) == 0) {
    const KindSet left = kinds & kAllKinds & ~asked;
    if (left == 0) return true;
    const auto kind = static_cast<std::size_t>(std::countr_zero(left));
    const Symbol symbol = kind == kLongKind ? long_spellings().back().front().first
                                            : symbol_of(ascii_of(kind).back());
    asked |= KindSet{1} << kind;
    if (sets_.read(id, symbol) != ReadSets::kDead) alive |= KindSet{1} << kind;
    known(id).asked = asked;
    known(id).alive = alive;
  }
  return false;
}

/// Whether no character of the kind is dead; and the sets it leads to.
bool PlainTexts::leads_on(Id from, std::size_t kind, std::vector<Id>& to) {
  const std::string_view ascii = ascii_of(kind);
  if (ascii.empty()) {
    return std::ranges::all_of(
        long_spellings(), [&](const auto& spelling) { return leads_on(from, spelling, 0, to); });
  }
  return all_after(sets_, from, ascii, [&](Id next) {
    if (!to.empty() && to.back() == next) return true;
    if (next == ReadSets::kDead) return false;
    note(next);
    to.push_back(next);
    return true;
  });
}

bool PlainTexts::leads_on(Id from, const std::vector<SymbolRange>& spelling, std::size_t at,
                          std::vector<Id>& to) {
  Id last = ReadSets::kDead;
  return all_after(sets_, from, spelling[at], [&](Id next) {
    if (next == ReadSets::kDead) return false;
    if (next == last) return true;
    last = next;
    if (at + 1 < spelling.size()) return note_part(next) && leads_on(next, spelling, at + 1, to);
    if (to.empty() || to.back() != next) {
      note(next);
      to.push_back(next);
    }
    return true;
  });
}

}  // namespace pleiad::constrain
