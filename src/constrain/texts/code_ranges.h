#pragma once

#include <vector>

#include "constrain/texts/characters.h"

namespace pleiad::constrain {

inline constexpr char32_t kLastCharacterCode = 0x10FFFF;

/// The same characters in as few ranges as there can be, in order.
std::vector<CodeRange> sorted_apart(std::vector<CodeRange> ranges);

/// All other characters.
std::vector<CodeRange> all_but(const std::vector<CodeRange>& ranges);

/// With the other case of ASCII's letters.
std::vector<CodeRange> with_both_cases(std::vector<CodeRange> ranges);

}  // namespace pleiad::constrain
