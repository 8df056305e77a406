#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "constrain/automaton.h"
#include "constrain/syntax.h"
#include "constrain/texts/dfa.h"

namespace pleiad::constrain {

/// Of the properties of an object, by their number: one of these is there, or is not.
struct PropertyClause {
  struct Literal {
    std::size_t property = 0;
    bool present = true;
  };
  std::vector<Literal> literals;
};
struct PropertyForm {
  std::string name;
  Rule value;
};
/// Properties whose names are not listed. Forms with different values have no name in common.
struct OtherForm {
  Dfa keys;  // JSON: the inside of their names; calls: these, with quotes where they need some
  Rule value;
};
struct ObjectForm {
  std::vector<PropertyForm> properties;  // they come in this order
  std::vector<PropertyClause> clauses;   // all of them hold
  std::vector<OtherForm> others;         // after the listed ones
  std::uint32_t least = 0;               // properties
  std::uint32_t most = kUnbounded;
  /// Properties come in any order, the others among them, but where why_in_order() says something:
  /// then as above.
  bool any_order = false;
};
/// Why properties come in one order though any may be asked for, as one of "its properties come in
/// their order: ..."; empty where they need not.
std::string why_in_order(const ObjectForm& form);
struct ItemForm {
  Rule value;
  std::uint32_t counted = 0;  // among ArrayForm::wanted, a bit each
};
struct ArrayForm {
  /// Its forms, one of which it has. Where an item may have several, as one that counts for nothing
  /// and one that counts, these need not exclude each other.
  using Item = std::vector<ItemForm>;
  std::vector<Item> first = {};
  std::optional<Item> rest = {};
  /// How many items of certain forms there must be. Where that is enough, such a form comes no more
  /// unless `always`: others allow what it allows, else there would be no way on behind them.
  struct Wanted {
    std::uint32_t least = 0;
    std::uint32_t most = kUnbounded;
    bool always = false;
  };
  std::vector<Wanted> wanted = {};
  std::uint32_t least = 0;
  std::uint32_t most = kUnbounded;
  /// Items differ; each value of `rest` has one spelling, but for blanks. Only where there is
  /// nothing else: no first ones and none that is wanted.
  bool distinct = false;

  /// The ways on of its rule, at most: from each place, with what was counted there, to items of
  /// each form.
  std::size_t n_ways() const;
};

/// How names that are not listed are remembered.
struct OtherNames {
  std::vector<NamePart> parts;  // of each of ObjectForm::others, what reading it is
  bool may_run_out = false;
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
  /// These three, as far as they were made.
  std::vector<Rule> any_rules() const;
  Rule string(Counter length);
  Rule string(const Dfa& inside, Counter length = {});
  /// Each character in one spelling.
  Rule plain_string(Counter length);
  /// Without quotes: a number.
  Rule plain(const Dfa& dfa);
  Rule any_number(bool is_integer);
  /// One of these texts.
  Rule literal(const std::vector<Symbols>& texts);
  Rule object(const ObjectForm& form);
  /// The same with at most so much work, by clauses and ways between properties; what it takes is
  /// taken from it. Where that is not enough, the automaton gives up.
  Rule object(const ObjectForm& form, std::size_t& work);
  Rule array(const ArrayForm& form);
  Rule choice(const std::vector<Rule>& rules);

 private:
  /// After some white space, or none, on at `to`.
  void add_blanks(StateId from, StateId to, bool needs_none = false, ObjectId object = 0);
  StateId add_closing(char bracket, bool closes_set = false);
  void add_value(StateId from, const Rule& value, StateId to);
  /// Where other properties begin, and where the values of each of their forms do.
  struct OtherProperties {
    Rule rule;
    std::vector<StateId> values;
  };
  OtherProperties other_properties(const ObjectForm& form, const OtherNames& names, StateId close);
  std::vector<StateId> add_other_keys(const ObjectForm& form, const OtherNames& names,
                                      StateId start, StateId behind);
  friend class ObjectWriter;
  friend class ArrayWriter;

  Automaton& automaton_;
  Syntax syntax_;
  Rule blanks_;
  // Made when they are first asked for.
  std::optional<Rule> any_, any_object_, any_array_, string_, plain_string_, number_, integer_;
};

}  // namespace pleiad::constrain
