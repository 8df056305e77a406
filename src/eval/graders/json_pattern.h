#pragma once

#include "base/json.h"

namespace pleiad::eval {

/// Whether a value is what a pattern says, for somebody who reads: numbers by value, texts without
/// regard to case and blanks around them. A pattern is a value, or an object with one of
///   {"$one_of": [...]}     one of these patterns
///   {"$any_order": [...]}  a list with these patterns, each once, in any order
///   {"$stem": "tea"}       a text with a word that begins so
///   {"$some": ...}         a list, of which an element at least is this pattern
/// The members of other objects are patterns of the members of that name.
bool matches_pattern(const Json& value, const Json& pattern);

}  // namespace pleiad::eval
