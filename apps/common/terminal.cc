#include "apps/common/terminal.h"

#include "base/os/terminal.h"

namespace pleiad::apps {

bool is_terminal(std::FILE* file) { return os::is_terminal(file); }

TerminalSize terminal_size(std::FILE* file) {
  TerminalSize found;
  const os::TerminalSize size = os::terminal_size(file);
  if (size.columns > 0) found.columns = size.columns;
  if (size.rows > 0) found.rows = size.rows;
  return found;
}

int terminal_width(std::FILE* file) { return terminal_size(file).columns; }

}  // namespace pleiad::apps
