#include "constrain/automaton.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_map>
#include <utility>

namespace pleiad::constrain {
namespace {

/// The free names whose values were found so far, and who waits for more.
class FoundNames {
 public:
  FoundNames(std::span<const FreeNames> all, std::span<const WantedNames> wanted) {
    for (const WantedNames& each : wanted) objects_[each.place].waiting.push_back(each);
    for (auto& [place, object] : objects_) {
      std::ranges::sort(object.waiting, std::greater<>(), &WantedNames::least);
    }
    for (const FreeNames& names : all) {
      const auto object = objects_.find(names.place);
      if (object == objects_.end()) continue;
      for (const NamesOfValue& each : names.values) {
        values_.emplace(each.value, std::pair(&object->second, each.n_names));
      }
    }
  }

  /// Those that have enough names now that this value is found.
  std::vector<StateId> enough_with(StateId value) {
    std::vector<StateId> out;
    const auto found = values_.find(value);
    if (found == values_.end()) return out;
    auto& [object, n_names] = found->second;
    object->n_names += n_names;
    while (!object->waiting.empty() && object->waiting.back().least <= object->n_names) {
      out.push_back(object->waiting.back().state);
      object->waiting.pop_back();
    }
    return out;
  }

 private:
  struct Object {
    std::uint64_t n_names = 0;
    std::vector<WantedNames> waiting;  // the least last
  };

  std::unordered_map<StateId, Object> objects_;  // by their FreeNames::place
  std::unordered_map<StateId, std::pair<Object*, std::uint32_t>> values_;
};

}  // namespace

Automaton::Automaton() {
  done_ = add_state();
  set_final(done_);
}

StateId Automaton::add_state() {
  if (states_.size() >= kMaxStates) {
    is_too_large_ = true;
    return static_cast<StateId>(states_.size() - 1);
  }
  states_.emplace_back();
  return static_cast<StateId>(states_.size() - 1);
}

ObjectId Automaton::add_object(const Object& object) {
  if (objects_.size() >= std::numeric_limits<ObjectId>::max()) {
    is_too_large_ = true;
  } else {
    objects_.push_back(object);
  }
  return static_cast<ObjectId>(objects_.size());
}

void Automaton::add_distinct(const DistinctItems& array) {
  if (is_too_large_) return;
  mark_distinct(array, true);
  distinct_.push_back(array);
}

void Automaton::release_distinct(const DistinctItems& array) {
  if (std::erase(distinct_, array) > 0) mark_distinct(array, false);
}

void Automaton::forbid_distinct(const DistinctItems& array) {
  release_distinct(array);
  states_[array.start].edges.clear();
}

void Automaton::add_free_names(const FreeNames& names) {
  if (!is_too_large_) free_names_.push_back(names);
}

void Automaton::add_wanted_names(const WantedNames& wanted) {
  if (is_too_large_) return;
  states_[wanted.state].waits_for_names = true;
  wanted_names_.push_back(wanted);
}

void Automaton::mark_distinct(const DistinctItems& array, bool differ) {
  for (Edge& edge : states_[array.start].edges) edge.opens_set = differ;
  for (Call& call : states_[array.place].calls) call.is_item = differ;
  for (Edge& edge : states_[array.behind].edges) edge.wants_item = differ;
  for (Edge& edge : states_[array.close].edges) edge.closes_set = differ;
  states_[array.behind].ends_item = differ;
}

void Automaton::take_back(std::size_t n_states) {
  states_.resize(n_states);
  while (!distinct_.empty() && distinct_.back().start >= n_states) distinct_.pop_back();
  while (!free_names_.empty() && free_names_.back().start >= n_states) free_names_.pop_back();
  while (!wanted_names_.empty() && wanted_names_.back().state >= n_states) wanted_names_.pop_back();
  while (!objects_.empty() && objects_.back().key >= n_states) objects_.pop_back();
  is_too_large_ = false;
}

std::size_t Automaton::memory_bytes() const {
  std::size_t bytes = states_.capacity() * sizeof(State) + objects_.capacity() * sizeof(Object) +
                      distinct_.capacity() * sizeof(DistinctItems) +
                      free_names_.capacity() * sizeof(FreeNames) +
                      wanted_names_.capacity() * sizeof(WantedNames);
  for (const FreeNames& names : free_names_)
    bytes += names.values.capacity() * sizeof(NamesOfValue);
  for (const State& state : states_) {
    bytes += state.edges.capacity() * sizeof(Edge) + state.calls.capacity() * sizeof(Call) +
             state.jumps.capacity() * sizeof(StateId);
  }
  return bytes;
}

StateId Automaton::add_symbols(StateId from, std::span<const Symbol> symbols) {
  for (const Symbol symbol : symbols) {
    const StateId next = add_state();
    add_edge(from, symbol, next);
    from = next;
  }
  return from;
}

Result<bool> Automaton::finish(StateId start) {
  start_ = start;
  has_heights_ = false;
  for (State& state : states_) {  // choices may have been added since
    state.height = kNever;
    state.is_nullable = false;
  }
  if (is_too_large_) {
    return Failure{fmt::format("it is too large: more than {} states are needed", kMaxStates)};
  }
  const Users all_users = users();
  find_nullable(all_users);
  if (calls_itself_at_once()) {
    return Failure{"a \"$ref\" leads back to itself without any value in between"};
  }
  find_heights(all_users);
  has_heights_ = true;
  if (height(start) >= kNever) return Failure{"no value can satisfy it"};
  if (height(start) > kMaxDepth) {
    return Failure{fmt::format("its values are nested deeper than {} levels", kMaxDepth)};
  }
  return true;
}

std::uint32_t Automaton::height_through(const Call& call) const {
  const std::uint32_t inside = states_[call.rule.start].height + (is_exit(call.back) ? 0 : 1);
  return std::min(kNever, std::max(inside, states_[call.back].height));
}

Automaton::Users Automaton::users() const {
  Users users(states_.size());
  for (StateId id = 0; id < states_.size(); ++id) {
    const State& state = states_[id];
    for (const Edge& edge : state.edges) users[edge.target].push_back({id, nullptr, true});
    for (const StateId jump : state.jumps) users[jump].push_back({id, nullptr, false});
    for (const Call& call : state.calls) {
      users[call.rule.start].push_back({id, &call, false});
      users[call.back].push_back({id, &call, false});
    }
  }
  return users;
}

/// The lowest first: what is taken from the queue once gets no lower, so that every user is looked
/// at once or twice, in whatever order the states were made.
void Automaton::find_heights(const Users& users) {
  using Found = std::pair<std::uint32_t, StateId>;
  FoundNames names(free_names_, wanted_names_);
  std::priority_queue<Found, std::vector<Found>, std::greater<>> found;
  const auto lower = [&](StateId id, std::uint32_t height) {
    if (height >= states_[id].height) return;
    states_[id].height = height;
    found.emplace(height, id);
  };
  for (StateId id = 0; id < states_.size(); ++id) {
    if (states_[id].is_final) lower(id, 0);
  }
  while (!found.empty()) {
    const auto [height, id] = found.top();
    found.pop();
    if (height > states_[id].height) continue;
    for (const StateId state : names.enough_with(id)) lower(state, height);
    for (const User& user : users[id]) {
      if (states_[user.state].waits_for_names) continue;
      lower(user.state, user.call != nullptr ? height_through(*user.call) : height);
    }
  }
}

void Automaton::find_nullable(const Users& users) {
  std::vector<StateId> found;
  const auto add = [&](StateId id) {
    if (states_[id].is_nullable) return;
    states_[id].is_nullable = true;
    found.push_back(id);
  };
  for (StateId id = 0; id < states_.size(); ++id) {
    if (states_[id].is_final) add(id);
  }
  while (!found.empty()) {
    const StateId id = found.back();
    found.pop_back();
    for (const User& user : users[id]) {
      const Call* call = user.call;
      const bool whole =
          call == nullptr || ((call->only_asks || states_[call->rule.start].is_nullable) &&
                              states_[call->back].is_nullable);
      if (!user.reads && whole) add(user.state);
    }
  }
}

bool Automaton::calls_itself_at_once() const {
  enum class Mark : std::uint8_t { unseen, open, closed };
  std::vector<Mark> marks(states_.size(), Mark::unseen);
  struct Visit {
    StateId state;
    std::vector<StateId> successors;
  };
  const auto visit = [&](StateId id) {
    const State& state = states_[id];
    Visit out{id, state.jumps};
    for (const Call& call : state.calls) {
      if (!call.only_asks) out.successors.push_back(call.rule.start);
      if (call.only_asks || states_[call.rule.start].is_nullable) {
        out.successors.push_back(call.back);
      }
    }
    return out;
  };
  for (StateId root = 0; root < states_.size(); ++root) {
    if (marks[root] != Mark::unseen) continue;
    std::vector<Visit> path = {visit(root)};
    marks[root] = Mark::open;
    while (!path.empty()) {
      if (path.back().successors.empty()) {
        marks[path.back().state] = Mark::closed;
        path.pop_back();
        continue;
      }
      const StateId next = path.back().successors.back();
      path.back().successors.pop_back();
      if (marks[next] == Mark::open) return true;
      if (marks[next] == Mark::closed) continue;
      marks[next] = Mark::open;
      path.push_back(visit(next));
    }
  }
  return false;
}

}  // namespace pleiad::constrain
