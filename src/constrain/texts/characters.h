#pragma once

#include <vector>

#include "constrain/syntax.h"
#include "constrain/texts/dfa.h"

namespace pleiad::constrain {

/// The inside of any string: whole characters, with JSON's escapes. Every character
/// counts once.
Dfa any_text(Syntax syntax);

/// The same, each character in the one spelling that patterns have.
Dfa any_plain_text(Syntax syntax);

/// The inside of a key that a schema does not name. JSON: any string, escaped only where that
/// is needed, so that a key has one spelling. Calls: what needs no quotes.
Dfa any_key(Syntax syntax);

/// Calls: the inside of those that need quotes.
Dfa any_quoted_key();

/// Calls: keys of that inside, with their quotes.
Dfa between_quotes(const Dfa& keys);

struct CodeRange {
  char32_t first = 0;
  char32_t last = 0;
};

/// The ways to spell one character of a set: each a sequence of ranges of symbols.
struct SymbolRange {
  Symbol first = 0;
  Symbol last = 0;
};
std::vector<std::vector<SymbolRange>> spellings(Syntax syntax,
                                                const std::vector<CodeRange>& characters);

}  // namespace pleiad::constrain
