#pragma once

#include <string>

#include "constrain/grammars/lark_terminals.h"
#include "constrain/grammars/lark_words.h"
#include "constrain/grammars/rule_names.h"
#include "constrain/grammars/source_text.h"

namespace pleiad::constrain::grammars {

/// Reads `%import common...`, which names terminals of the module that Lark has.
class LarkImports {
 public:
  /// All live as long as this.
  LarkImports(SourceText& source, RuleNames& names, LarkTerminals& terminals, LarkWords& words)
      : source_(source), names_(names), terminals_(terminals), words_(words) {}

  /// Behind the directive. Defines what is imported; what is not known is a problem.
  void read();

 private:
  void read_names();
  void import(const LarkWord& name, const std::string& as);

  SourceText& source_;
  RuleNames& names_;
  LarkTerminals& terminals_;
  LarkWords& words_;
};

}  // namespace pleiad::constrain::grammars
