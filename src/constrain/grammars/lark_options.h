#pragma once

#include "constrain/grammars/lark_lexer.h"
#include "constrain/grammars/source_text.h"

namespace pleiad::constrain::grammars {

/// What `%llguidance {...}` says of a grammar in Lark.
struct LarkOptions {
  /// What is ignored may stand before the first terminal too.
  bool allow_initial_skip = false;
  /// It comes once at a place at most.
  bool ignore_once = false;

  /// Adds those of an object of JSON. An option that is not known, or that cannot be held, is a
  /// problem.
  void add(SourceText& source, const LarkWord& word);
};

}  // namespace pleiad::constrain::grammars
