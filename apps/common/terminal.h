#pragma once

#include <cstdio>

namespace pleiad::apps {

bool is_terminal(std::FILE* file);

/// Columns of the terminal behind `file`, 80 when there is none.
int terminal_width(std::FILE* file);

}  // namespace pleiad::apps
