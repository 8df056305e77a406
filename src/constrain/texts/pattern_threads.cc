#include "constrain/texts/pattern_threads.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "constrain/texts/pattern_classes.h"

namespace pleiad::constrain {
namespace {

using Kind = PatternNode::Kind;

constexpr std::size_t kMaxDfaStates = 10'000;
constexpr std::size_t kStepsOfState = 16;
constexpr std::size_t kStepsOfPromise = 4;
constexpr std::size_t kStepsOfSeed = 24;  // a set of promises in a map
constexpr std::size_t kStepsOfReached = 2;
constexpr std::size_t kStepsOfLook = 500;  // a state of one, of which a pattern may have many

/// States that an NFA may be in, if what was promised on the way to them is kept.
struct PatternThreads {
  Promises promises;
  std::vector<std::uint32_t> states;  // sorted
  bool are_found = false;             // whatever follows, as far as promised

  auto operator<=>(const PatternThreads&) const = default;
};

/// All that matters of what was read: one of the threads has to come to the end.
struct PatternPlace {
  std::vector<PatternThreads> threads;  // fewer promises first
  Before before = Before::other;
  Counter length;  // characters that are still wanted

  bool operator<(const PatternPlace& other) const {
    const auto key = [](const PatternPlace& set) {
      return std::tie(set.threads, set.before, set.length.need, set.length.room);
    };
    return key(*this) < key(other);
  }
};

struct FewerFirst {
  bool operator()(const Promises& a, const Promises& b) const {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  }
};
/// States that are to be looked at, by what was promised.
using Seeds = std::map<Promises, std::vector<std::uint32_t>, FewerFirst>;

bool is_word(Symbol symbol) {
  return std::ranges::any_of(word_characters(), [&](const CodeRange& range) {
    return range.first <= symbol && symbol <= range.last;
  });
}

Promises with(Promises promises, const Promise& promise) {
  promises.insert(std::ranges::upper_bound(promises, promise), promise);
  return promises;
}

/// Follows the threads of one NFA.
class PatternStepper {
 public:
  PatternStepper(const PatternNfa& nfa, PatternLooks& looks)
      : nfa_(nfa), looks_(looks), seen_(nfa.states.size(), 0) {}

  PatternPlace start(Before before, Counter length) {
    PatternPlace out{.threads = {}, .before = before, .length = length};
    close(out, {{{}, {0}}}, false);
    const bool asks = nfa_.asks_word || nfa_.asks_begin;
    if (!asks || (out.before == Before::word && !nfa_.asks_word)) out.before = Before::other;
    return out;
  }

  bool accepts(const PatternPlace& at) {
    if (at.length.need > 0) return false;
    Seeds seeds;
    for (const PatternThreads& threads : at.threads) seeds[threads.promises] = threads.states;
    PatternPlace last{.threads = {}, .before = at.before, .length = at.length};
    close(last, std::move(seeds), true);
    return std::ranges::any_of(last.threads, [&](const PatternThreads& threads) {
      return std::ranges::binary_search(threads.states, nfa_.final) &&
             looks_.kept_at_end(threads.promises);
    });
  }

  /// Calls add(first, last, threads) for each range of symbols that leads elsewhere.
  template <typename Add>
  void each_way(const PatternPlace& at, const Add& add) {
    if (at.threads.empty()) return;
    // All states are between the same two characters or amid the same one, but for the one that
    // loops where a look-ahead is found.
    const bool begins = std::ranges::all_of(at.threads, [&](const PatternThreads& threads) {
      return std::ranges::all_of(threads.states,
                                 [&](std::uint32_t state) { return nfa_.states[state].between; });
    });
    std::size_t n_edges = 0;
    const std::vector<std::uint32_t> cuts = cuts_of(at, begins, n_edges);
    for (std::size_t i = 0; i + 1 < cuts.size() && !looks_.failed(); ++i) {
      looks_.spend(n_edges);
      const auto symbol = static_cast<Symbol>(cuts[i]);
      Seeds seeds = read(at, symbol);
      if (seeds.empty()) continue;
      PatternPlace to{.threads = {}, .before = at.before, .length = at.length};
      if (begins && !to.length.count()) continue;
      if (begins) to.before = nfa_.asks_word && is_word(symbol) ? Before::word : Before::other;
      close(to, std::move(seeds), false);
      if (!to.threads.empty()) add(symbol, static_cast<Symbol>(cuts[i + 1] - 1), to);
    }
  }

 private:
  std::vector<std::uint32_t> cuts_of(const PatternPlace& at, bool begins, std::size_t& n_edges) {
    std::vector<std::uint32_t> cuts;
    const auto add = [&](std::uint32_t first, std::uint32_t last) {
      cuts.push_back(first);
      cuts.push_back(last + 1);
    };
    for (const PatternThreads& threads : at.threads) {
      for (const Promise& promise : threads.promises) {
        for (const Dfa::Edge& edge : looks_.edges(promise)) add(edge.first, edge.last);
      }
      n_edges += threads.states.size();
      for (const std::uint32_t state : threads.states) {
        n_edges += nfa_.states[state].edges.size();
        for (const PatternNfa::Edge& edge : nfa_.states[state].edges) add(edge.first, edge.last);
      }
    }
    if (begins && nfa_.asks_word) {
      for (const CodeRange& range : word_characters()) add(range.first, range.last);
    }
    looks_.spend(cuts.size());
    std::ranges::sort(cuts);
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    return cuts;
  }

  Seeds read(const PatternPlace& at, Symbol symbol) {
    Seeds out;
    for (const PatternThreads& threads : at.threads) {
      std::vector<std::uint32_t> to;
      for (const std::uint32_t state : threads.states) {
        for (const PatternNfa::Edge& edge : nfa_.states[state].edges) {
          if (edge.first <= symbol && symbol <= edge.last) to.push_back(edge.target);
        }
      }
      if (to.empty()) continue;
      std::optional<Promises> promises = looks_.after(threads.promises, symbol);
      if (!promises) continue;
      std::vector<std::uint32_t>& all = out[std::move(*promises)];
      all.insert(all.end(), to.begin(), to.end());
    }
    return out;
  }

  /// Follows what reads nothing.
  void close(PatternPlace& out, Seeds seeds, bool at_end) {
    // What one of them leads to has at least its promises.
    std::vector<Reached> known;
    for (auto at = seeds.begin(); at != seeds.end() && !looks_.failed(); ++at) {
      looks_.spend(kStepsOfSeed + at->first.size() * kStepsOfPromise);
      std::vector<std::uint32_t> reached = reach(*at, out.before, at_end, known, seeds);
      if (reached.empty()) continue;
      add_threads(out, at->first, reached);
      known.push_back({&at->first, std::move(reached)});
    }
    const bool all_found = std::ranges::all_of(
        out.threads, [](const PatternThreads& threads) { return threads.are_found; });
    if (all_found) out.before = Before::other;
  }

  struct Reached {
    const Promises* promises;
    std::vector<std::uint32_t> states;
  };

  /// All states that the seeds lead to, but those that fewer promises led to: what follows these is
  /// known with fewer, too. Further promises make further seeds.
  std::vector<std::uint32_t> reach(const Seeds::value_type& from, Before before, bool at_end,
                                   const std::vector<Reached>& known, Seeds& seeds) {
    const Promises& promises = from.first;
    ++round_;
    for (const Reached& other : known) {
      looks_.spend(1 + promises.size());
      if (!std::ranges::includes(promises, *other.promises)) continue;
      looks_.spend(other.states.size());
      for (const std::uint32_t state : other.states) seen_[state] = round_;
    }
    std::vector<std::uint32_t> reached;
    const auto visit = [&](std::uint32_t state) {
      if (seen_[state] == round_) return;
      seen_[state] = round_;
      reached.push_back(state);
    };
    for (const std::uint32_t state : from.second) visit(state);
    for (std::size_t i = 0; i < reached.size(); ++i) {
      const PatternNfa::State& state = nfa_.states[reached[i]];
      looks_.spend(kStepsOfReached + state.jumps.size());
      if (looks_.failed()) break;
      for (const std::uint32_t jump : state.jumps) visit(jump);
      for (const PatternNfa::Check& check : state.checks) {
        looks_.spend(kStepsOfState + promises.size());
        const PatternLooks::Outcome outcome = looks_.ask(*check.condition, before, at_end);
        if (outcome.holds) visit(check.target);
        if (!outcome.promise) continue;
        if (std::ranges::binary_search(promises, *outcome.promise)) {
          visit(check.target);
        } else {
          looks_.spend(kStepsOfSeed + promises.size());
          seeds[with(promises, *outcome.promise)].push_back(check.target);
        }
      }
    }
    return reached;
  }

  /// Those that may go on or end, and do not with fewer promises.
  void add_threads(PatternPlace& out, const Promises& promises,
                   const std::vector<std::uint32_t>& reached) {
    PatternThreads made{promises, {}, nfa_.found && std::ranges::count(reached, *nfa_.found) != 0};
    for (const std::uint32_t state : reached) {
      const bool stays =
          made.are_found ? state == *nfa_.found || state == nfa_.final : matters(state);
      if (stays) made.states.push_back(state);
    }
    std::ranges::sort(made.states);
    for (const PatternThreads& other : out.threads) {
      looks_.spend(1 + promises.size());
      if (!std::ranges::includes(promises, other.promises)) continue;
      if (other.are_found) return;
      looks_.spend(made.states.size());
      std::erase_if(made.states, [&](std::uint32_t state) {
        return std::ranges::binary_search(other.states, state);
      });
    }
    if (!made.states.empty()) out.threads.push_back(std::move(made));
  }

  /// The others only led here.
  bool matters(std::uint32_t state) const {
    const PatternNfa::State& it = nfa_.states[state];
    return !it.edges.empty() || state == nfa_.final ||
           std::ranges::any_of(it.checks, [](const PatternNfa::Check& check) {
             return check.condition->kind == Kind::end;
           });
  }

  const PatternNfa& nfa_;
  PatternLooks& looks_;
  std::vector<std::uint64_t> seen_;  // in which round
  std::uint64_t round_ = 0;
};

}  // namespace

Result<Dfa> span_dfa(const PatternNode& pattern, PatternSpan span, Before before, Counter length,
                     PatternLooks& looks) {
  const Result<PatternNfa> nfa = make_pattern_nfa(looks.syntax(), pattern, span, looks.work());
  if (!nfa) return Failure{nfa.message()};
  PatternStepper stepper(nfa.value(), looks);
  const auto next = [&](const PatternPlace& at, const auto& add) {
    looks.spend(span == PatternSpan::begin ? kStepsOfLook : kStepsOfState);
    stepper.each_way(at, add);
  };
  const auto accepts = [&](const PatternPlace& at) { return stepper.accepts(at); };
  std::optional<Dfa> dfa = explore(stepper.start(before, length), next, accepts, kMaxDfaStates);
  if (!dfa || looks.failed()) return Failure{"it is too large"};
  return std::move(*dfa);
}

}  // namespace pleiad::constrain
