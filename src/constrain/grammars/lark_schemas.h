#pragma once

#include <cstddef>
#include <set>

#include "constrain/grammars/lark_lexer.h"
#include "constrain/grammars/rule_names.h"
#include "constrain/grammars/source_text.h"
#include "constrain/schema/budget.h"

namespace pleiad::constrain::grammars {

/// The JSON schemas that stand in a grammar in Lark, `%json {...}`. All of them share the budget of
/// one.
class LarkSchemas {
 public:
  /// All live as long as this.
  LarkSchemas(SourceText& source, RuleNames& names, SchemaBudget& budget)
      : source_(source), names_(names), budget_(budget) {}

  /// A rule whose texts are what the schema says; see schema_expression(). The grammar's notes tell
  /// what that has to tell, once for each place.
  Expression add(const LarkWord& word);

 private:
  SourceText& source_;
  RuleNames& names_;
  SchemaBudget& budget_;
  std::set<std::size_t> told_;  // of which places; a rule with a number is read for each
};

}  // namespace pleiad::constrain::grammars
