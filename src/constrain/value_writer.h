#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "constrain/automaton.h"
#include "constrain/dfa.h"
#include "constrain/syntax.h"

namespace pleiad::constrain {

struct PropertyForm {
  std::string name;
  Rule value;
  bool required = false;
};
struct ObjectForm {
  std::vector<PropertyForm> properties;  // they come in this order
  std::optional<Rule> others;            // what properties of other names are, after them
};
struct ArrayForm {
  std::vector<Rule> first;
  std::optional<Rule> rest;
  std::uint32_t least = 0;
  std::uint32_t most = kUnbounded;
};

/// Writes the rules of values into an automaton, in one syntax.
///
/// White space of JSON: one space may follow a ':', and where a line may break (after an
/// opening bracket or a comma, before a closing one) there may be one space, or a new line
/// with an indent. So a model cannot go on with blanks for ever.
class ValueWriter {
 public:
  ValueWriter(Automaton& automaton, Syntax syntax);

  Syntax syntax() const { return syntax_; }
  Automaton& automaton() { return automaton_; }

  Rule any();
  Rule any_object();
  Rule any_array();
  Rule string(Counter length);
  Rule string(const Dfa& inside);
  /// Without quotes: a number.
  Rule plain(const Dfa& dfa);
  Rule any_number(bool is_integer);
  /// One of these texts.
  Rule literal(const std::vector<Symbols>& texts);
  Rule object(const ObjectForm& form);
  Rule array(const ArrayForm& form);
  Rule choice(const std::vector<Rule>& rules);

 private:
  /// After some white space, or none, on at `to`.
  void add_blanks(StateId from, StateId to, bool needs_none = false);
  StateId add_closing(char bracket);
  void add_value(StateId from, const Rule& value, StateId to);
  void add_other_keys(StateId from, const ObjectForm& form, StateId to);

  Automaton& automaton_;
  Syntax syntax_;
  Rule blanks_;
  // Made when they are first asked for.
  std::optional<Rule> any_, any_object_, any_array_, string_, number_, integer_;
};

}  // namespace pleiad::constrain
