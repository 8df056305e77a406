#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"
#include "constrain/syntax.h"
#include "constrain/texts/dfa.h"
#include "constrain/texts/pattern_tree.h"

namespace pleiad::constrain {

/// The inside of the strings that a regular expression of JSON Schema (ECMA 262) finds
/// something in, and that have so many characters. Understands characters and their escapes,
/// classes, properties of Unicode, groups, alternatives, repetitions, ^ and $, \b and \B, and
/// looking ahead. Fails, in words for the user, at anything else, where there is no such string,
/// and where it takes more than `work`, from which what it took is subtracted.
Result<Dfa> pattern_dfa(Syntax syntax, std::string_view pattern, Counter length, std::size_t& work);

/// The same, where it may be that no string is found: then it accepts nothing.
Result<Dfa> found_pattern_dfa(Syntax syntax, std::string_view pattern, Counter length,
                              std::size_t& work);

/// The texts that a regular expression matches whole, as calls spell them: their bytes. Fails as
/// above.
Result<Dfa> whole_pattern_dfa(const PatternNode& pattern, std::size_t& work);

/// Steps that the patterns of one schema, or a regular expression, may take: a second or so.
inline constexpr std::size_t kPatternWork = 100'000'000;

}  // namespace pleiad::constrain
