#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "constrain/symbol.h"

namespace pleiad::constrain {

using StateId = std::uint32_t;

inline constexpr std::uint32_t kUnbounded = std::numeric_limits<std::uint32_t>::max();

/// How often something must and may still be repeated: the characters of a string,
/// the items of an array. Kept by whoever is inside the rule, so that bounds cost no states. In an
/// object whose keys come in any order: which of them may still come (of_keys()).
struct Counter {
  static constexpr std::uint32_t kMost = 2'000'000'000;  // that is counted; beyond it keys are kept
  static constexpr std::size_t kMostKeys = 62;

  std::uint32_t need = 0;
  std::uint32_t room = kUnbounded;

  bool operator==(const Counter&) const = default;

  /// Keys, a bit each, the first one's the lowest; kMostKeys of them at most.
  static Counter of_keys(std::uint64_t keys) {
    return {.need = static_cast<std::uint32_t>(keys),
            .room = kKeysMark | static_cast<std::uint32_t>(keys >> 32)};
  }
  bool has_keys() const { return room >> 30 == kKeysMark >> 30; }
  /// None where it counts.
  std::uint64_t keys() const {
    return has_keys() ? need | std::uint64_t{room & ~kKeysMark} << 32 : 0;
  }

  bool count() {
    if (room == 0) return false;
    if (room != kUnbounded) --room;
    if (need > 0) --need;
    return true;
  }

 private:
  static constexpr std::uint32_t kKeysMark = 2U << 30;
};

/// An object whose keys come in any order, each once: by its number, from 1 on; 0 is none.
using ObjectId = std::uint16_t;

/// What reading a symbol is to the name of a property that is not listed, where the object
/// remembers these; see FreeNames.
enum class NamePart : std::uint8_t {
  none,
  of_many,  // a part of one, and however it goes on there are more names than can have come
  of_few,   // a part of one, where all may have come
  end,      // what ends one: only where the object has no such name yet
};

/// Reading a symbol of a range.
struct Edge {
  Symbol first = 0;
  Symbol last = 0;
  bool counts : 1 = false;      // one repetition; not where there is no room
  bool needs_none : 1 = false;  // only where nothing more is needed
  bool opens_set : 1 = false;   // the '[' of an array whose items differ, or '{' before free names,
  bool wants_item : 1 = false;  // its ',': only where another item, or name, may come,
  bool closes_set : 1 = false;  // and its end
  bool is_blank : 1 = false;    // white space that says nothing
  NamePart name : 2 = NamePart::none;
  std::uint8_t key = 0;  // not 0: it begins the key of this number, from 1 on, where that
                         // may still come; then it may not again
  ObjectId object = 0;   // not 0: only where another key of this one may come
  StateId target = 0;
};

/// A way through the automaton from a start to a final state, and its counter.
struct Rule {
  StateId start = 0;
  Counter counter = {};

  bool operator==(const Rule&) const = default;
};

/// Going through a rule, then on at `back`.
struct Call {
  Rule rule;
  StateId back = 0;
  bool needs_none = false;
  bool only_asks = false;  // the rule is not gone through: it is enough that it could be
  bool is_item = false;    // what it reads is an item of an array whose items differ
  ObjectId object = 0;     // not 0: only where all keys came that this one needs
};

/// An array whose items differ. Equal items are those with the same text, but for blanks, so that
/// its items have one spelling of each value. Who runs the automaton remembers them (see
/// ItemMemory).
struct DistinctItems {
  StateId start = 0;  // before the '['
  StateId place = 0;  // where an item begins
  StateId behind = 0;
  StateId close = 0;  // before the ']'
  Rule item;
  std::uint32_t least = 0;  // items

  bool operator==(const DistinctItems&) const = default;
};

/// How many names lead to a state behind their ':', where the value begins.
struct NamesOfValue {
  StateId value = 0;
  std::uint32_t n_names = 0;
};

/// Properties of an object that are not listed. No two have the same name, which has one spelling.
/// Who runs the automaton remembers them as it does items that differ; their edges say so
/// (NamePart).
struct FreeNames {
  StateId start = 0;  // before the '{'
  StateId place = 0;  // where a name begins
  /// All names, each counted once, where some state waits for several of them (WantedNames).
  std::vector<NamesOfValue> values = {};
};

/// A state that leads on to such names where so many of them have to come. Its height is that of
/// the values which are nested least, as many as are needed: from a way that may be there, there
/// are enough names whatever comes of them.
struct WantedNames {
  StateId state = 0;
  StateId place = 0;  // of the FreeNames
  std::uint32_t least = 0;
};

/// States with edges, among which rules call each other: a stack automaton. A reply
/// is what leads from the start to a final state. May be ambiguous; whoever runs it
/// follows all ways at once.
class Automaton {
 public:
  /// At most this many; beyond it add_state() gives the last again, nothing more is added and
  /// finish() fails.
  static constexpr std::size_t kMaxStates = 200'000;
  /// How deeply rules may be called, which is how deeply values may be nested: a
  /// little less than what readers of JSON accept, our own among them.
  static constexpr std::uint32_t kMaxDepth = 60;
  static constexpr std::uint32_t kNever = 1U << 30;

  /// See ObjectId.
  struct Object {
    StateId key = 0;             // the state that edges with a `key` leave
    StateId others = 0;          // where other keys begin; 0: there are none
    std::uint64_t required = 0;  // keys
  };

  StateId add_state();
  void add_edge(StateId from, Edge edge) {
    if (!is_too_large_) states_[from].edges.push_back(edge);
  }
  void add_edge(StateId from, Symbol symbol, StateId to) {
    add_edge(from, Edge{.first = symbol, .last = symbol, .target = to});
  }
  void add_call(StateId from, Rule rule, StateId back, bool needs_none = false) {
    if (!is_too_large_) states_[from].calls.push_back({rule, back, needs_none});
  }
  void add_call(StateId from, const Call& call) {
    if (!is_too_large_) states_[from].calls.push_back(call);
  }
  ObjectId add_object(const Object& object);
  /// Marks the edges, calls and states of the array, which are there.
  void add_distinct(const DistinctItems& array);
  /// The items of such an array may be equal from now on, or there is no such array.
  void release_distinct(const DistinctItems& array);
  void forbid_distinct(const DistinctItems& array);
  /// Their edges are marked.
  void add_free_names(const FreeNames& names);
  /// The FreeNames have `values`.
  void add_wanted_names(const WantedNames& wanted);
  /// Instead of `from`: what the rule does.
  void add_choice(StateId from, Rule rule) { add_call(from, rule, done_); }
  void add_jump(StateId from, StateId to) {
    if (!is_too_large_) states_[from].jumps.push_back(to);
  }
  void set_final(StateId state) { states_[state].is_final = true; }
  /// The states of one text after the other; gives the last.
  StateId add_symbols(StateId from, std::span<const Symbol> symbols);

  /// Whether it has as many states as there may be, or more were asked for.
  bool is_full() const { return is_too_large_ || states_.size() >= kMaxStates; }
  /// As if as many states as it may have had been asked for.
  void give_up() { is_too_large_ = true; }
  /// Takes back all states behind the first `n_states`, to which none of these leads, and that
  /// there were too many.
  void take_back(std::size_t n_states);

  /// When all is there; again where choices were added. Fails where there are too many states, a
  /// rule calls itself before it has read anything, or no text leads to the end.
  Result<bool> finish(StateId start);

  /// Whether the last finish() came as far as to know how high states are.
  bool has_heights() const { return has_heights_; }

  StateId start() const { return start_; }
  std::size_t n_states() const { return states_.size(); }
  std::size_t memory_bytes() const;
  std::span<const Edge> edges(StateId state) const { return states_[state].edges; }
  std::span<const Call> calls(StateId state) const { return states_[state].calls; }
  std::span<const StateId> jumps(StateId state) const { return states_[state].jumps; }
  const Object& object(ObjectId id) const { return objects_[id - 1U]; }
  std::span<const DistinctItems> distinct() const { return distinct_; }
  std::span<const FreeNames> free_names() const { return free_names_; }
  /// Whether who runs it has to remember items or names.
  bool remembers() const { return !distinct_.empty() || !free_names_.empty(); }
  /// Behind an item of an array whose items differ.
  bool ends_item(StateId state) const { return states_[state].ends_item; }
  bool is_final(StateId state) const { return states_[state].is_final; }
  /// Nothing can follow but the return to the caller.
  bool is_exit(StateId state) const {
    const State& s = states_[state];
    return s.is_final && s.edges.empty() && s.calls.empty() && s.jumps.empty();
  }
  /// The depth of calls that the shortest way to the rule's end needs, with as many free names as
  /// have to come (WantedNames); kNever where none leads there.
  std::uint32_t height(StateId state) const { return states_[state].height; }

  Automaton();

 private:
  struct State {
    std::vector<Edge> edges;
    std::vector<Call> calls;
    std::vector<StateId> jumps;
    std::uint32_t height = kNever;
    bool is_final = false;
    bool ends_item = false;
    bool waits_for_names = false;  // see WantedNames
    bool is_nullable = false;      // the rule may end here, or after calls that read nothing
  };

  /// A state that looks at another one: through an edge or a jump, or, with the other state that
  /// this takes, through a call.
  struct User {
    StateId state;
    const Call* call;  // null: an edge or a jump
    bool reads;        // it is an edge
  };
  using Users = std::vector<std::vector<User>>;  // of each state

  Users users() const;
  void mark_distinct(const DistinctItems& array, bool differ);
  void find_heights(const Users& users);
  std::uint32_t height_through(const Call& call) const;
  void find_nullable(const Users& users);
  bool calls_itself_at_once() const;

  std::vector<State> states_;
  std::vector<Object> objects_;
  std::vector<DistinctItems> distinct_;
  std::vector<FreeNames> free_names_;
  std::vector<WantedNames> wanted_names_;
  StateId done_ = 0;
  StateId start_ = 0;
  bool is_too_large_ = false;
  bool has_heights_ = false;
};

}  // namespace pleiad::constrain
