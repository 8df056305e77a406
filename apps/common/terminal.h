#pragma once

#include <cstdio>

#include "base/os/terminal.h"

namespace pleiad::apps {

using os::is_terminal;

/// Of the terminal behind `file`; 80 columns and 24 rows where the system does not say.
os::TerminalSize terminal_size(std::FILE* file);

/// Columns of the terminal behind `file`, 80 when there is none.
int terminal_width(std::FILE* file);

}  // namespace pleiad::apps
