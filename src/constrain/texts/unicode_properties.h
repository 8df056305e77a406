#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "constrain/texts/characters.h"

namespace pleiad::constrain {

/// The characters that \p{name} of ECMAScript is, sorted and apart: a general category ("Lu",
/// "Letter", "General_Category=L"), a script ("Script=Latin", "sc=Grek"), or a binary property
/// ("Alphabetic"). Nothing where the name is none that is known here.
std::optional<std::vector<CodeRange>> unicode_property(std::string_view name);

}  // namespace pleiad::constrain
