#pragma once

#include <cstdint>
#include <vector>

#include "constrain/grammars/lark_lexer.h"
#include "constrain/grammars/rule_names.h"
#include "constrain/grammars/source_text.h"
#include "constrain/schema/budget.h"

namespace pleiad::constrain::grammars {

/// What terminals of a grammar in Lark are made of.
class LarkTerminals {
 public:
  /// All live as long as this.
  LarkTerminals(SourceText& source, RuleNames& names, SchemaBudget& budget)
      : source_(source), names_(names), budget_(budget) {}

  Expression text(const LarkWord& word);
  Expression regex(const LarkWord& word);
  Expression range(const LarkWord& first, const LarkWord& last);
  /// What an object of JSON behind %regex says.
  Expression part_of_text(const LarkWord& word);
  /// A terminal without a name, as what stands in a rule.
  Expression add(Expression body, bool is_lazy = false);

  /// Fails where a terminal leads to itself, or through too many others.
  void check();

 private:
  /// How many levels of expressions are in it, with those of the terminals that it leads through.
  int depth_of(std::uint32_t rule, int above);
  int depth_of(const Expression& what, int above);

  SourceText& source_;
  RuleNames& names_;
  SchemaBudget& budget_;
  std::vector<int> depths_;  // of rules; 0: not known
};

}  // namespace pleiad::constrain::grammars
