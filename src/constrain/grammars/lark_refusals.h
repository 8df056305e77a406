#pragma once

#include <string>
#include <string_view>

namespace pleiad::constrain::grammars {

// What of Lark is not supported, and why.

inline constexpr std::string_view kNoPriorities =
    "priorities are not supported: all readings are followed";
inline constexpr std::string_view kNoTemplates =
    "templates are not supported: write the rule out for each of its uses";

/// Of an attribute of a rule that is not read.
std::string why_no_attribute(std::string_view name);

/// Of a directive, with its '%'.
std::string why_no_directive(std::string_view name);

}  // namespace pleiad::constrain::grammars
