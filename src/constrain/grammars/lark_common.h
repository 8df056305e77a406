#pragma once

#include <string_view>

namespace pleiad::constrain::grammars {

/// The regular expression of a terminal of Lark's module `common`; empty where there is none.
std::string_view common_terminal(std::string_view name);

}  // namespace pleiad::constrain::grammars
