#include "constrain/value_writer.h"

#include <algorithm>

#include "constrain/texts/characters.h"
#include "constrain/texts/number.h"

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
  const auto add_blank = [&](StateId from, char blank, StateId to) {
    const Symbol symbol = symbol_of(blank);
    automaton_.add_edge(from, Edge{.first = symbol,
                                   .last = symbol,
                                   .counts = from == line,
                                   .is_blank = true,
                                   .target = to});
  };
  add_blank(start, ' ', space);
  add_blank(start, '\n', line);
  add_blank(line, ' ', line);
  add_blank(line, '\t', line);
  blanks_ = {start, {.need = 0, .room = kMaxIndent}};
}

void ValueWriter::add_blanks(StateId from, StateId to, bool needs_none, ObjectId object) {
  Call call{.rule = blanks_, .back = to, .needs_none = needs_none, .object = object};
  if (syntax_ != Syntax::json) {
    call.rule = {automaton_.add_state()};
    automaton_.set_final(call.rule.start);
  }
  automaton_.add_call(from, call);
}

StateId ValueWriter::add_closing(char bracket, bool closes_set) {
  const StateId before = automaton_.add_state();
  const StateId end = automaton_.add_state();
  const Symbol symbol = symbol_of(bracket);
  automaton_.add_edge(
      before, Edge{.first = symbol, .last = symbol, .closes_set = closes_set, .target = end});
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
  if (!any_object_) {
    ObjectForm form;
    form.others.push_back({any_key(syntax_), any()});
    if (syntax_ == Syntax::call) form.others.push_back({between_quotes(any_quoted_key()), any()});
    any_object_ = object(form);
  }
  return *any_object_;
}

Rule ValueWriter::any_array() {
  if (!any_array_) any_array_ = array({.rest = ArrayForm::Item{{any()}}});
  return *any_array_;
}

std::vector<Rule> ValueWriter::any_rules() const {
  std::vector<Rule> out;
  for (const std::optional<Rule>& rule : {any_, any_object_, any_array_}) {
    if (rule) out.push_back(*rule);
  }
  return out;
}

Rule ValueWriter::string(Counter length) {
  if (!string_) string_ = string(any_text(syntax_));
  return {string_->start, length};
}

Rule ValueWriter::plain_string(Counter length) {
  if (syntax_ == Syntax::call) return string(length);
  if (!plain_string_) plain_string_ = string(any_plain_text(syntax_));
  return {plain_string_->start, length};
}

Rule ValueWriter::string(const Dfa& inside, Counter length) {
  const StateId start = automaton_.add_state();
  const StateId end = automaton_.add_state();
  automaton_.set_final(end);
  automaton_.add_edge(start, quote(syntax_), add_dfa(automaton_, inside, quote(syntax_), end));
  return {start, length};
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

Rule ValueWriter::literal(const std::vector<Symbols>& texts) { return plain(dfa_of(texts)); }

/// Behind the ':'.
void ValueWriter::add_value(StateId from, const Rule& value, StateId to) {
  automaton_.add_call(from, value, to);
  if (syntax_ != Syntax::json) return;
  const StateId space = automaton_.add_state();
  automaton_.add_edge(from, Edge{.first = ' ', .last = ' ', .is_blank = true, .target = space});
  automaton_.add_call(space, value, to);
}

Rule ValueWriter::choice(const std::vector<Rule>& rules) {
  const Rule out{automaton_.add_state()};
  for (const Rule& rule : rules) automaton_.add_choice(out.start, rule);
  return out;
}

}  // namespace pleiad::constrain
