#include "constrain/value_writer.h"

#include "constrain/characters.h"
#include "constrain/number.h"

namespace pleiad::constrain {
namespace {

constexpr std::uint32_t kMaxIndent = 40;

}  // namespace

ValueWriter::ValueWriter(Automaton& automaton, Syntax syntax)
    : automaton_(automaton), syntax_(syntax) {
  if (syntax != Syntax::json) return;
  const StateId start = automaton_.add_state();
  const StateId space = automaton_.add_state();
  const StateId line = automaton_.add_state();
  for (const StateId state : {start, space, line}) automaton_.set_final(state);
  automaton_.add_edge(start, ' ', space);
  automaton_.add_edge(start, '\n', line);
  for (const Symbol blank : {Symbol{' '}, Symbol{'\t'}}) {
    automaton_.add_edge(line, Edge{.first = blank, .last = blank, .counts = true, .target = line});
  }
  blanks_ = {start, {.need = 0, .room = kMaxIndent}};
}

void ValueWriter::add_blanks(StateId from, StateId to, bool needs_none) {
  if (syntax_ == Syntax::json) {
    automaton_.add_call(from, blanks_, to, needs_none);
    return;
  }
  const StateId empty = automaton_.add_state();
  automaton_.set_final(empty);
  automaton_.add_call(from, {empty}, to, needs_none);
}

StateId ValueWriter::add_closing(char bracket) {
  const StateId before = automaton_.add_state();
  const StateId end = automaton_.add_state();
  automaton_.add_edge(before, symbol_of(bracket), end);
  automaton_.set_final(end);
  return before;
}

Rule ValueWriter::any() {
  if (any_) return *any_;
  any_ = Rule{automaton_.add_state()};  // known before it is made: values hold values
  const std::vector<Symbols> words = {spell(syntax_, true), spell(syntax_, false),
                                      spell(syntax_, nullptr)};
  for (const Rule& rule :
       {any_object(), any_array(), string(Counter{}), any_number(false), literal(words)}) {
    automaton_.add_choice(any_->start, rule);
  }
  return *any_;
}

Rule ValueWriter::any_object() {
  if (!any_object_) any_object_ = object({.properties = {}, .others = any()});
  return *any_object_;
}

Rule ValueWriter::any_array() {
  if (!any_array_) any_array_ = array({.first = {}, .rest = any()});
  return *any_array_;
}

Rule ValueWriter::string(Counter length) {
  if (!string_) string_ = string(any_text(syntax_));
  return {string_->start, length};
}

Rule ValueWriter::string(const Dfa& inside) {
  const StateId start = automaton_.add_state();
  const StateId end = automaton_.add_state();
  automaton_.set_final(end);
  automaton_.add_edge(start, quote(syntax_), add_dfa(automaton_, inside, quote(syntax_), end));
  return {start};
}

Rule ValueWriter::plain(const Dfa& dfa) {
  const StateId end = automaton_.add_state();
  automaton_.set_final(end);
  return {add_dfa(automaton_, dfa, std::nullopt, end)};
}

Rule ValueWriter::any_number(bool is_integer) {
  std::optional<Rule>& known = is_integer ? integer_ : number_;
  if (!known) {
    NumberForm form;
    form.is_integer = is_integer;
    known = plain(number_dfa(form).value());
  }
  return *known;
}

Rule ValueWriter::literal(const std::vector<Symbols>& texts) {
  Dfa trie;
  trie.states.emplace_back();
  for (const Symbols& text : texts) {
    std::uint32_t at = 0;
    for (const Symbol symbol : text) {
      std::optional<std::uint32_t> next;
      for (const Dfa::Edge& edge : trie.states[at].edges) {
        if (edge.first == symbol) next = edge.target;
      }
      if (!next) {
        next = static_cast<std::uint32_t>(trie.states.size());
        trie.states[at].edges.push_back({symbol, symbol, *next});
        trie.states.emplace_back();
      }
      at = *next;
    }
    trie.states[at].accepts = true;
  }
  return plain(trie);
}

Rule ValueWriter::object(const ObjectForm& form) {
  const StateId start = automaton_.add_state();
  const StateId open = automaton_.add_state();
  const StateId close = add_closing('}');
  automaton_.add_edge(start, '{', open);
  // key[i]: one of the keys from i on must come. Behind value i: a comma and one
  // of the keys behind it, or the end.
  const std::size_t n = form.properties.size();
  std::vector<StateId> key;
  for (std::size_t i = 0; i <= n; ++i) key.push_back(automaton_.add_state());
  std::size_t last_required = 0;  // counted from 1
  for (std::size_t i = 0; i < n; ++i) {
    if (form.properties[i].required) last_required = i + 1;
  }
  add_blanks(open, key[0]);
  if (last_required == 0) add_blanks(open, close);
  const auto add_behind = [&](std::size_t next) {
    const StateId behind = automaton_.add_state();
    const StateId comma = automaton_.add_state();
    automaton_.add_edge(behind, ',', comma);
    add_blanks(comma, key[next]);
    if (next >= last_required) add_blanks(behind, close);
    return behind;
  };
  for (std::size_t i = 0; i < n; ++i) {
    const PropertyForm& property = form.properties[i];
    if (!property.required) automaton_.add_jump(key[i], key[i + 1]);
    const StateId colon = automaton_.add_symbols(key[i], spell_key(syntax_, property.name));
    add_value(colon, property.value, add_behind(i + 1));
  }
  if (form.others) {
    const StateId colon = automaton_.add_state();
    add_other_keys(key[n], form, colon);
    add_value(colon, *form.others, add_behind(n));
  }
  return {start};
}

/// Behind the ':'.
void ValueWriter::add_value(StateId from, const Rule& value, StateId to) {
  automaton_.add_call(from, value, to);
  if (syntax_ != Syntax::json) return;
  const StateId space = automaton_.add_state();
  automaton_.add_edge(from, ' ', space);
  automaton_.add_call(space, value, to);
}

/// With their ':'. The names in the form have forms of their own.
void ValueWriter::add_other_keys(StateId from, const ObjectForm& form, StateId to) {
  std::vector<Symbols> taken;
  for (const PropertyForm& property : form.properties) {
    taken.push_back(spell_inside(syntax_, property.name));
  }
  const std::optional<Dfa> keys = without(any_key(syntax_), taken);
  if (!keys) {  // so many names do not fit anyway
    while (automaton_.n_states() < Automaton::kMaxStates) automaton_.add_state();
    automaton_.add_state();
    return;
  }
  if (syntax_ == Syntax::call) {
    automaton_.add_jump(from, add_dfa(automaton_, *keys, symbol_of(':'), to));
    return;
  }
  const StateId colon = automaton_.add_state();
  automaton_.add_edge(from, '"', add_dfa(automaton_, *keys, symbol_of('"'), colon));
  automaton_.add_edge(colon, ':', to);
}

Rule ValueWriter::array(const ArrayForm& form) {
  const StateId start = automaton_.add_state();
  const StateId open = automaton_.add_state();
  const StateId close = add_closing(']');
  automaton_.add_edge(start, '[', open);
  if (form.least == 0) add_blanks(open, close);
  const std::size_t n_first =
      std::min<std::size_t>(form.first.size(), form.most == kUnbounded ? SIZE_MAX : form.most);
  StateId item = automaton_.add_state();
  add_blanks(open, item);
  for (std::size_t i = 0; i < n_first; ++i) {
    const StateId behind = automaton_.add_state();
    const StateId comma = automaton_.add_state();
    automaton_.add_call(item, form.first[i], behind);
    automaton_.add_edge(behind, ',', comma);
    if (i + 1 >= form.least) add_blanks(behind, close);
    item = automaton_.add_state();
    add_blanks(comma, item);
  }
  if (!form.rest || n_first >= form.most) return {start};
  // The counter stands for the items behind the first of the rest.
  const StateId behind = automaton_.add_state();
  const StateId comma = automaton_.add_state();
  automaton_.add_call(item, *form.rest, behind);
  automaton_.add_edge(behind, Edge{.first = ',', .last = ',', .counts = true, .target = comma});
  add_blanks(comma, item);
  add_blanks(behind, close, true);
  const auto n_before = static_cast<std::uint32_t>(n_first) + 1;
  return {start,
          {.need = form.least > n_before ? form.least - n_before : 0,
           .room = form.most == kUnbounded ? kUnbounded : form.most - n_before}};
}

Rule ValueWriter::choice(const std::vector<Rule>& rules) {
  const Rule out{automaton_.add_state()};
  for (const Rule& rule : rules) automaton_.add_choice(out.start, rule);
  return out;
}

}  // namespace pleiad::constrain
