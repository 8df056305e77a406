#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "constrain/dfa.h"
#include "constrain/syntax.h"

namespace pleiad::constrain {

/// The inside of the strings that a regular expression of JSON Schema (ECMA 262) finds
/// something in, and that have so many characters. Understands characters and their escapes,
/// classes, groups, alternatives, repetitions, and ^ and $ at the ends. Fails, in words
/// for the user, at anything else.
Result<Dfa> pattern_dfa(Syntax syntax, std::string_view pattern, Counter length);

}  // namespace pleiad::constrain
