#include "constrain/tokens/thread_sets.h"

#include <algorithm>
#include <bit>
#include <unordered_set>
#include <utility>

namespace pleiad::constrain {
namespace {

constexpr std::size_t kMaxSets = 8'000;
/// So many sets remember what reading gave; the others read again.
constexpr std::size_t kMaxRemembered = 10'000;
/// In all sets: about 16 bytes each. Where one table needs more it is given up.
constexpr std::size_t kMaxThreads = 4'000'000;
/// Sets that are looked at to find out whether strings may go on from each.
constexpr std::size_t kMostExplored = 1'500;
constexpr std::size_t kMostExploredOfTable = 3'000;
constexpr int kFewKinds = 2;

std::uint64_t mix(std::uint64_t hash, std::uint64_t part) {
  hash = (hash ^ part) * 0x9E3779B97F4A7C15;
  return hash ^ hash >> 29;
}

}  // namespace

void ThreadSets::make_room() {
  n_explored_ = 0;
  if (sets_.size() <= kMaxSets && n_threads_ <= kMaxThreads / 4) return;
  sets_.clear();
  n_threads_ = 0;
  n_remembering_ = 0;
  ids_.clear();
  machine_.stacks().clear();
}

std::size_t ThreadSets::memory_bytes() const {
  return sets_.capacity() * sizeof(Set) + n_threads_ * sizeof(Thread) +
         n_remembering_ * kSymbols * sizeof(Id) + ids_.size() * 4 * sizeof(std::uint64_t);
}

ThreadSets::Id ThreadSets::begin(StateId state, const Counter& counter) {
  machine_.begin({state, counter, StackPool::kBottom}, scratch_);
  return scratch_.alive() ? intern(scratch_) : kDead;
}

ThreadSets::Id ThreadSets::read(Id from, Symbol symbol) {
  if (set(from).after.empty()) {
    machine_.read(set(from).threads, symbol, scratch_);
    return scratch_.alive() ? intern(scratch_) : kDead;
  }
  const Id known = set(from).after[symbol];
  if (known != kUnknown) return known;
  machine_.read(set(from).threads, symbol, scratch_);
  const Id reached = scratch_.alive() ? intern(scratch_) : kDead;
  Set& known_now = set(from);  // sets_ may have grown
  const auto is_cut = [&](std::size_t at) {
    return (known_now.cuts[at / 64] >> (at % 64) & 1) != 0;
  };
  std::size_t first = symbol;
  while (!is_cut(first)) --first;
  std::size_t end = std::size_t{symbol} + 1;
  while (!is_cut(end)) ++end;
  std::fill(known_now.after.begin() + static_cast<std::ptrdiff_t>(first),
            known_now.after.begin() + static_cast<std::ptrdiff_t>(end), reached);
  return reached;
}

/// Nothing is known of what an edge reads; all else is dead.
void ThreadSets::prepare(Set& set) const {
  set.after.assign(kSymbols, kDead);
  const auto cut = [&](std::size_t at) { set.cuts[at / 64] |= std::uint64_t{1} << (at % 64); };
  cut(0);
  cut(kSymbols);
  for (const Thread& thread : set.threads.list) {
    for (const Edge& edge : automaton_.edges(thread.state)) {
      cut(edge.first);
      cut(std::size_t{edge.last} + 1);
      std::fill(set.after.begin() + edge.first, set.after.begin() + edge.last + 1, kUnknown);
    }
  }
}

ThreadSets::Id ThreadSets::intern(const Threads& threads) {
  std::uint64_t hash = threads.reached_bottom ? 1 : 0;
  for (const Thread& thread : threads.list) {
    hash = mix(mix(hash, thread.state), thread.stack);
    hash = mix(mix(hash, thread.counter.need), thread.counter.room);
  }
  const auto [begin, end] = ids_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    const Threads& known = this->threads(it->second);
    if (known.reached_bottom == threads.reached_bottom && known.list == threads.list &&
        known.deepest == threads.deepest) {
      return it->second;
    }
  }
  const auto id = static_cast<Id>(sets_.size());
  n_threads_ += threads.list.size();
  if (n_threads_ > kMaxThreads) {
    throw sampling::ConstraintError("the form of the reply leaves too much open to follow");
  }
  Set& made = sets_.emplace_back();
  made.threads = threads;
  if (n_remembering_ < kMaxRemembered) {
    prepare(made);
    ++n_remembering_;
  }
  ids_.emplace(hash, id);
  return id;
}

const ThreadSets::PlainText& ThreadSets::plain_text(Id id) {
  if (!set(id).has_plain) {
    const PlainText found = follow_most(id);
    set(id).plain = found;
    set(id).has_plain = true;
  }
  const PlainText& known = set(id).plain;
  const bool is_all =
      known.kinds == kAllKinds && (known.most == kForever || known.dead_behind == kAllKinds);
  if (!is_all && !set(id).was_explored) explore(id);
  return set(id).plain;
}

/// Goes where most kinds lead, with these on to where most of them lead, until they go round or no
/// further.
ThreadSets::PlainText ThreadSets::follow_most(Id id) {
  PlainText found = {kAllKinds, 0, threads(id).deepest, kAllKinds, 0};
  for (Id at = id;;) {
    const std::vector<Id>& after = after_kinds(at);
    KindSet best = 0;
    Id to = kDead;
    KindSet dead = 0;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      if (after[kind] == kDead) dead |= KindSet{1} << kind;
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
    found.deepest = std::max(found.deepest, set(at).deepest_of_kinds);
    ++found.most;
    // Counters that tables begin with end before.
    if (to == at || found.most > longest_ + 2) {
      found.most = kForever;
      return found;
    }
    at = to;
  }
}

const std::vector<ThreadSets::Id>& ThreadSets::after_kinds(Id from) {
  if (set(from).after_kinds.empty()) {
    std::vector<Id> found(kKinds);
    std::uint32_t deepest = 0;
    for (std::size_t kind = 0; kind < kKinds; ++kind) found[kind] = after_kind(from, kind, deepest);
    set(from).after_kinds = std::move(found);
    set(from).deepest_of_kinds = deepest;
  }
  return set(from).after_kinds;
}

/// The set that each character of the kind leads to, kDead; or kUnknown where they differ, or
/// where something has ended then.
ThreadSets::Id ThreadSets::after_kind(Id from, std::size_t kind, std::uint32_t& deepest) {
  const auto found = [&](Id to) {
    if (to < 0) return to;
    deepest = std::max(deepest, threads(to).deepest);
    return threads(to).reached_bottom ? kUnknown : to;
  };
  const std::string_view ascii = ascii_of(kind);
  if (!ascii.empty()) {
    const Id to = read(from, symbol_of(ascii.front()));
    for (const char c : ascii) {
      if (read(from, symbol_of(c)) != to) return kUnknown;
    }
    return found(to);
  }
  const auto& all = long_spellings();
  const Id to = after_spelling(from, all.front(), 0, deepest);
  for (const auto& spelling : all) {
    if (after_spelling(from, spelling, 0, deepest) != to) return kUnknown;
  }
  return found(to);
}

ThreadSets::Id ThreadSets::after_spelling(Id from, const std::vector<SymbolRange>& spelling,
                                          std::size_t at, std::uint32_t& deepest) {
  if (at == spelling.size()) return from;
  Id last = kUnknown;  // the set after the symbol before
  Id to = kUnknown;
  for (Symbol symbol = spelling[at].first; symbol <= spelling[at].last; ++symbol) {
    const Id next = read(from, symbol);
    if (next == last) continue;
    last = next;
    Id reached = kDead;
    if (next != kDead) {
      if (at + 1 < spelling.size()) {  // amid the character
        if (threads(next).reached_bottom) return kUnknown;
        deepest = std::max(deepest, threads(next).deepest);
      }
      reached = after_spelling(next, spelling, at + 1, deepest);
      if (reached == kUnknown) return kUnknown;
    }
    if (symbol != spelling[at].first && reached != to) return kUnknown;
    to = reached;
  }
  return to;
}

/// Where characters lead to many sets: whether some kinds lead on from each of them, for ever, as
/// they do in a string that has to hold a word somewhere.
void ThreadSets::explore(Id id) {
  set(id).was_explored = true;
  explored_.clear();
  deepest_ = threads(id).deepest;
  KindSet kinds = living_kinds(id, kAllKinds);
  while (kinds != 0 && !explore(id, kinds)) {
  }
  if (kinds == 0) {
    for (const Id each : explored_) set(each).was_explored = true;
    return;
  }
  const PlainText known = set(id).plain;
  if (std::popcount(kinds) <= std::popcount(known.kinds) && known.most > 1) return;
  PlainText found = {kinds, kForever, deepest_, kAllKinds & ~kinds, 0};
  for (const Id each : explored_) {
    if (found.dead != 0) found.dead &= dead_kinds(each);
  }
  set(id).plain = found;
  if (kinds != kAllKinds) return;  // others may have more of them
  for (const Id each : explored_) {
    set(each).plain = found;
    set(each).has_plain = true;
    set(each).was_explored = true;
  }
}

/// True where these kinds lead on from every set that they lead to; else some are taken from them,
/// all where there are too many sets.
bool ThreadSets::explore(Id id, KindSet& kinds) {
  explored_ = {id};
  std::unordered_set<Id> known = {id};
  std::vector<Id> to;
  for (std::size_t i = 0; i < explored_.size(); ++i) {
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      if ((kinds >> kind & 1) == 0) continue;
      to.clear();
      if (!leads_on(explored_[i], kind, to)) {
        kinds &= ~(KindSet{1} << kind);
        return false;
      }
      for (const Id next : to) {
        if (!known.insert(next).second) continue;
        if (known.size() > kMostExplored || ++n_explored_ > kMostExploredOfTable) {
          kinds = 0;
          return false;
        }
        // What leads to where little is left is the exception, not what is left there.
        const KindSet lost = kinds & ~living_kinds(next, kinds);
        if (lost != 0) {
          kinds &= std::popcount(lost) > kFewKinds ? ~(KindSet{1} << kind) : ~lost;
          return false;
        }
        explored_.push_back(next);
      }
    }
  }
  return true;
}

/// Of these kinds, those of which no character is dead or ends something.
KindSet ThreadSets::living_kinds(Id from, KindSet kinds) {
  KindSet out = 0;
  std::vector<Id> to;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if ((kinds >> kind & 1) != 0 && leads_on(from, kind, to)) out |= KindSet{1} << kind;
    to.clear();
  }
  return out;
}

KindSet ThreadSets::dead_kinds(Id from) {
  const auto is_dead = [&](Symbol symbol) { return read(from, symbol) == kDead; };
  KindSet out = 0;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const bool dead =
        kind == kLongKind
            ? std::ranges::all_of(long_spellings(),
                                  [&](const std::vector<SymbolRange>& spelling) {
                                    Symbol symbol = spelling.front().first;
                                    while (symbol <= spelling.front().last && is_dead(symbol)) {
                                      ++symbol;
                                    }
                                    return symbol > spelling.front().last;
                                  })
            : std::ranges::all_of(ascii_of(kind), [&](char c) { return is_dead(symbol_of(c)); });
    if (dead) out |= KindSet{1} << kind;
  }
  return out;
}

/// Asked of one character of each kind.
bool ThreadSets::may_have(Id id, KindSet kinds) {
  for (std::size_t kind = 0; kind < kLongKind; ++kind) {
    if ((kinds >> kind & 1) == 0) continue;
    if (read(id, symbol_of(ascii_of(kind).back())) == kDead) return false;
  }
  return (kinds >> kLongKind & 1) == 0 || read(id, long_spellings().back().front().first) != kDead;
}

/// Whether no character of the kind is dead, or ends something; and the sets it leads to.
bool ThreadSets::leads_on(Id from, std::size_t kind, std::vector<Id>& to) {
  const std::string_view ascii = ascii_of(kind);
  if (ascii.empty()) {
    return std::ranges::all_of(
        long_spellings(), [&](const auto& spelling) { return leads_on(from, spelling, 0, to); });
  }
  for (const char c : ascii) {
    const Id next = read(from, symbol_of(c));
    if (next == kDead || threads(next).reached_bottom) return false;
    deepest_ = std::max(deepest_, threads(next).deepest);
    if (to.empty() || to.back() != next) to.push_back(next);
  }
  return true;
}

bool ThreadSets::leads_on(Id from, const std::vector<SymbolRange>& spelling, std::size_t at,
                          std::vector<Id>& to) {
  Id last = kDead;
  for (Symbol symbol = spelling[at].first; symbol <= spelling[at].last; ++symbol) {
    const Id next = read(from, symbol);
    if (next == last && next != kDead) continue;
    last = next;
    if (next == kDead || threads(next).reached_bottom) return false;
    deepest_ = std::max(deepest_, threads(next).deepest);
    if (at + 1 < spelling.size()) {
      if (!leads_on(next, spelling, at + 1, to)) return false;
    } else if (to.empty() || to.back() != next) {
      to.push_back(next);
    }
  }
  return true;
}

}  // namespace pleiad::constrain
