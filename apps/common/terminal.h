#pragma once

#include <cstdio>

namespace pleiad::apps {

bool is_terminal(std::FILE* file);

struct TerminalSize {
  int columns = 80;
  int rows = 24;
};
/// Of the terminal behind `file`; what it does not say is as above.
TerminalSize terminal_size(std::FILE* file);

/// Columns of the terminal behind `file`, 80 when there is none.
int terminal_width(std::FILE* file);

}  // namespace pleiad::apps
