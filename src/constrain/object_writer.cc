// The rule of an object: which keys may come next, given those that came.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "constrain/value_writer.h"

namespace pleiad::constrain {
namespace {

/// Whether the most that there may be is less than could be.
bool most_matters(const ObjectForm& form) {
  return form.most != kUnbounded && (!form.others.empty() || form.properties.size() > form.most);
}

/// None is remembered where there can be one property only.
OtherNames other_names(const ObjectForm& form) {
  OtherNames names;
  names.parts.assign(form.others.size(), NamePart::none);
  if (form.most <= 1 || form.others.empty()) return names;
  for (std::size_t i = 0; i < form.others.size(); ++i) {
    const std::vector<bool> endless = endless_states(form.others[i].keys);
    const bool all = std::ranges::find(endless, false) == endless.end();
    names.parts[i] = all ? NamePart::of_many : NamePart::of_few;
    // Where other names are endless too, their values may be none, or too deep.
    if (!all) names.may_run_out = true;
  }
  return names;
}

}  // namespace

std::string why_in_order(const ObjectForm& form) {
  if (form.properties.size() > Counter::kMostKeys) {
    return fmt::format("it has {}, and {} at most are remembered", form.properties.size(),
                       Counter::kMostKeys);
  }
  if (form.least > 0 || most_matters(form)) return "how many there may be is bounded";
  const bool depend = std::ranges::any_of(
      form.clauses, [](const PropertyClause& clause) { return clause.literals.size() > 1; });
  return depend ? "which of them there may be depends on others" : "";
}

class ObjectWriter {
 public:
  ObjectWriter(ValueWriter& writer, const ObjectForm& form, std::size_t& work)
      : writer_(writer), automaton_(writer.automaton()), form_(form), work_(work) {
    const std::size_t n = form.properties.size();
    by_property_.resize(n);
    may_be_.resize(n, true);
    must_be_.resize(n, false);
    for (const PropertyClause& clause : form.clauses) {
      if (clause.literals.size() == 1) {
        const auto& [property, present] = clause.literals[0];
        (present ? must_be_ : may_be_)[property] = present;
        continue;
      }
      std::size_t last = 0;
      std::optional<std::size_t> last_absent;
      for (const PropertyClause::Literal& literal : clause.literals) {
        by_property_[literal.property].push_back({last_.size(), literal.present});
        last = std::max(last, literal.property);
        if (!literal.present) last_absent = std::max(last_absent.value_or(0), literal.property);
      }
      last_.push_back(last);
      last_absent_.push_back(last_absent);
      if (clause.literals.empty()) is_possible_ = false;
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (must_be_[i]) n_decided_by_need_ = i + 1;
    }
    counts_ = form.least > 0 || most_matters(form);
    most_ = most_matters(form) ? form.most : kUnbounded;
    names_ = other_names(form);
    remembers_ =
        std::ranges::any_of(names_.parts, [](NamePart part) { return part != NamePart::none; });
  }

  Rule write() {
    if (is_possible_ && may_have_any_order()) return write_in_any_order();
    const StateId start = automaton_.add_state();
    const StateId open = automaton_.add_state();
    close_ = writer_.add_closing('}', remembers_);
    add_opening(start, open);
    if (!is_possible_) return {start};
    if (!form_.others.empty()) {
      const auto others = writer_.other_properties(form_, names_, close_);
      others_ = others.rule;
      names_are_counted_ = names_.may_run_out && form_.least > 1;
      note_names(start, others_->start, others.values);
      if (is_uncounted_) return {start};  // it is refused for what it costs
    }
    PropertyProgress begin;
    begin.done.resize(last_.size(), false);
    writer_.add_blanks(open, key(begin));
    if (may_close(begin)) writer_.add_blanks(open, close_);
    while (!todo_.empty()) {
      const PropertyProgress at = todo_.front();
      todo_.pop_front();
      add_ways(at);
    }
    return {start};
  }

 private:
  void add_opening(StateId from, StateId to) {
    automaton_.add_edge(from, Edge{.first = symbol_of('{'),
                                   .last = symbol_of('{'),
                                   .opens_set = remembers_,
                                   .target = to});
  }

  void note_names(StateId start, StateId place, const std::vector<StateId>& values) {
    if (!remembers_) return;
    FreeNames names{start, place};
    for (std::size_t i = 0; names_are_counted_ && i < values.size(); ++i) {
      names.values.push_back({values[i], n_new_names(names.values)});
    }
    automaton_.add_free_names(names);
  }

  /// How many names the next form has that none before it has: one with the same value. None where
  /// those have enough.
  std::uint32_t n_new_names(std::span<const NamesOfValue> known) {
    const OtherForm& form = form_.others[known.size()];
    std::vector<DfaCondition> conditions;
    std::uint64_t n_known = 0;
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (form_.others[i].value != form.value) continue;
      conditions.push_back({&form_.others[i].keys, false});
      n_known += known[i].n_names;
    }
    if (is_uncounted_ || n_known >= form_.least) return 0;
    if (!may_spend(form.keys.states.size())) return 0;
    if (conditions.empty()) return n_texts(form.keys);
    const std::size_t per_state = 1 + 4 * conditions.size();
    std::size_t n_pairs = 0;
    const auto keys = restricted(form.keys, conditions, work_ / per_state, &n_pairs);
    if (keys && may_spend(keys->states.size() * per_state + n_pairs)) return n_texts(*keys);
    work_ = 0;
    is_uncounted_ = true;
    return 0;
  }

  bool may_have_any_order() const {
    return form_.any_order && !form_.properties.empty() && why_in_order(form_).empty();
  }

  /// One place for all keys: which of them came is kept by the counter.
  Rule write_in_any_order() {
    const StateId start = automaton_.add_state();
    const StateId open = automaton_.add_state();
    const StateId key = automaton_.add_state();
    const StateId behind = automaton_.add_state();
    const StateId comma = automaton_.add_state();
    close_ = writer_.add_closing('}', remembers_);
    Automaton::Object object{.key = key};
    std::uint64_t all = 0;
    StateId asked = start;
    for (std::size_t i = 0; i < form_.properties.size() && may_spend(1); ++i) {
      if (!may_be_[i]) {
        if (must_be_[i]) return {automaton_.add_state()};  // nothing
        continue;
      }
      all |= std::uint64_t{1} << i;
      const PropertyForm& property = form_.properties[i];
      const StateId colon = add_key(key, property.name, static_cast<std::uint8_t>(i + 1));
      writer_.add_value(colon, property.value, behind);
      if (!must_be_[i]) continue;
      object.required |= std::uint64_t{1} << i;
      // There are objects where each of these has a value.
      const StateId next = automaton_.add_state();
      automaton_.add_call(asked, Call{.rule = property.value, .back = next, .only_asks = true});
      asked = next;
    }
    if (!form_.others.empty()) {
      object.others = automaton_.add_state();
      automaton_.add_jump(key, object.others);
      note_names(start, object.others,
                 writer_.add_other_keys(form_, names_, object.others, behind));
    }
    const ObjectId id = automaton_.add_object(object);
    add_opening(asked, open);
    writer_.add_blanks(open, key);
    writer_.add_blanks(open, close_, false, id);
    automaton_.add_edge(behind, Edge{.first = ',',
                                     .last = ',',
                                     .wants_item = names_.may_run_out,
                                     .object = id,
                                     .target = comma});
    writer_.add_blanks(comma, key);
    writer_.add_blanks(behind, close_, false, id);
    return {start, Counter::of_keys(all)};
  }

  /// Of this number, to behind its ':'. Where other names may run out it is remembered with them: a
  /// ',' waits for either.
  StateId add_key(StateId from, const std::string& name, std::uint8_t number) {
    const Symbols symbols = spell_key(writer_.syntax(), name);
    const std::size_t end = symbols.size() - (writer_.syntax() == Syntax::json ? 2 : 1);
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      const StateId next = automaton_.add_state();
      Edge edge{.first = symbols[i], .last = symbols[i], .target = next};
      if (i == 0) edge.key = number;
      if (names_.may_run_out && i <= end) edge.name = i < end ? NamePart::of_few : NamePart::end;
      automaton_.add_edge(from, edge);
      from = next;
    }
    return from;
  }

  /// How far an object is: its listed properties are decided on one after the other.
  struct PropertyProgress {
    std::size_t index = 0;    // of the property that is next
    std::uint32_t count = 0;  // of those that are there, where they are counted
    std::vector<bool> done;   // of each clause of several properties, while it is being decided

    auto operator<=>(const PropertyProgress&) const = default;
  };

  /// Nothing where the property must be there, or must not.
  std::optional<PropertyProgress> after(const PropertyProgress& at, bool present) const {
    if (present ? !may_be_[at.index] : must_be_[at.index]) return std::nullopt;
    PropertyProgress next = at;
    for (const auto& [clause, wanted] : by_property_[at.index]) {
      if (wanted == present) next.done[clause] = true;
    }
    for (const auto& [clause, wanted] : by_property_[at.index]) {
      if (last_[clause] == at.index && !next.done[clause]) return std::nullopt;
    }
    for (const auto& [clause, wanted] : by_property_[at.index]) {
      if (last_[clause] == at.index) next.done[clause] = false;  // equal ways become one
    }
    ++next.index;
    if (present && counts_) {
      ++next.count;
      if (next.count > most_) return std::nullopt;
      if (most_ == kUnbounded) next.count = std::min(next.count, form_.least);
    }
    return next;
  }

  /// Whether all properties that are still to be decided on may be absent.
  bool may_close(const PropertyProgress& at) const {
    if (at.count < form_.least || at.index < n_decided_by_need_) return false;
    for (std::size_t clause = 0; clause < last_.size(); ++clause) {
      const bool is_open = last_[clause] >= at.index && !at.done[clause];
      if (is_open && !(last_absent_[clause] && *last_absent_[clause] >= at.index)) return false;
    }
    return true;
  }

  /// Whether there is work left for one more step.
  bool may_go_on(const PropertyProgress& at) {
    const bool has_property = at.index < form_.properties.size();
    const std::size_t n_here = has_property ? by_property_[at.index].size() : 0;
    return may_spend(1 + last_.size() / 4 + n_here);
  }

  bool may_spend(std::size_t cost) {
    if (work_ < cost) automaton_.give_up();
    work_ -= std::min(work_, cost);
    return !automaton_.is_full();
  }

  /// The state where a key must come.
  StateId key(const PropertyProgress& at) {
    const auto [found, is_new] = keys_.try_emplace(at, 0);
    if (is_new) {
      found->second = automaton_.add_state();
      if (may_go_on(at)) todo_.push_back(at);
    }
    return found->second;
  }

  /// The state behind a value.
  StateId behind(const PropertyProgress& at) {
    const auto [found, is_new] = behind_.try_emplace(at, 0);
    if (!is_new) return found->second;
    const StateId state = found->second = automaton_.add_state();
    const StateId comma = automaton_.add_state();
    automaton_.add_edge(state, ',', comma);
    writer_.add_blanks(comma, key(at));
    if (may_close(at)) writer_.add_blanks(state, close_);
    return state;
  }

  void add_ways(const PropertyProgress& at) {
    const StateId from = key(at);
    if (at.index == form_.properties.size()) {
      if (!others_ || at.count >= most_) return;
      Rule rest = *others_;
      const std::uint32_t count = at.count + 1;
      rest.counter = {.need = form_.least > count ? form_.least - count : 0,
                      .room = most_ == kUnbounded ? kUnbounded : most_ - count};
      if (!names_are_counted_ || rest.counter.need == 0) {
        automaton_.add_choice(from, rest);
        return;
      }
      const StateId waiting = automaton_.add_state();
      automaton_.add_jump(from, waiting);
      automaton_.add_choice(waiting, rest);
      automaton_.add_wanted_names({waiting, rest.start, rest.counter.need + 1});
      return;
    }
    const PropertyForm& property = form_.properties[at.index];
    if (const auto with = after(at, true)) {
      const StateId colon =
          automaton_.add_symbols(from, spell_key(writer_.syntax(), property.name));
      writer_.add_value(colon, property.value, behind(*with));
    }
    if (const auto without = after(at, false)) automaton_.add_jump(from, key(*without));
  }

  ValueWriter& writer_;
  Automaton& automaton_;
  const ObjectForm& form_;
  std::size_t& work_;
  struct Part {
    std::size_t clause;
    bool present;
  };
  std::vector<bool> may_be_, must_be_;                   // of each property
  std::vector<std::vector<Part>> by_property_;           // of clauses of several
  std::vector<std::size_t> last_;                        // the last property of each of these
  std::vector<std::optional<std::size_t>> last_absent_;  // the last one whose absence is enough
  std::size_t n_decided_by_need_ = 0;                    // up to the last that must be there
  bool is_possible_ = true;
  bool counts_ = false;
  std::uint32_t most_ = kUnbounded;
  StateId close_ = 0;
  OtherNames names_;
  bool remembers_ = false;
  bool is_uncounted_ = false;       // that took all the work there was
  bool names_are_counted_ = false;  // several have to come of others that may run out
  std::optional<Rule> others_;
  std::map<PropertyProgress, StateId> keys_, behind_;
  std::deque<PropertyProgress> todo_;
};

Rule ValueWriter::object(const ObjectForm& form, std::size_t& work) {
  return ObjectWriter(*this, form, work).write();
}

Rule ValueWriter::object(const ObjectForm& form) {
  std::size_t work = SIZE_MAX;
  return object(form, work);
}

/// A key that is not listed, with its value; where that begins, of each form.
std::vector<StateId> ValueWriter::add_other_keys(const ObjectForm& form, const OtherNames& names,
                                                 StateId start, StateId behind) {
  std::vector<StateId> values;
  for (std::size_t i = 0; i < form.others.size(); ++i) {
    const OtherForm& other = form.others[i];
    const NamePart part = names.parts[i];
    const StateId colon = automaton_.add_state();
    if (syntax_ == Syntax::call) {
      automaton_.add_jump(start, add_name_dfa(automaton_, other.keys, part, symbol_of(':'), colon));
    } else {
      const Symbol quote = symbol_of('"');
      const StateId end = automaton_.add_state();
      const StateId inside = add_name_dfa(automaton_, other.keys, part, quote, end);
      automaton_.add_edge(start,
                          Edge{.first = quote, .last = quote, .name = part, .target = inside});
      automaton_.add_edge(end, ':', colon);
    }
    add_value(colon, other.value, behind);
    values.push_back(colon);
  }
  return values;
}

/// From a key on, to the end of the object. The counter stands for those behind the first.
ValueWriter::OtherProperties ValueWriter::other_properties(const ObjectForm& form,
                                                           const OtherNames& names, StateId close) {
  const StateId start = automaton_.add_state();
  const StateId behind = automaton_.add_state();
  const StateId comma = automaton_.add_state();
  std::vector<StateId> values = add_other_keys(form, names, start, behind);
  automaton_.add_edge(behind, Edge{.first = ',',
                                   .last = ',',
                                   .counts = true,
                                   .wants_item = names.may_run_out,
                                   .target = comma});
  add_blanks(comma, start);
  add_blanks(behind, close, true);
  return {{start}, std::move(values)};
}

}  // namespace pleiad::constrain
