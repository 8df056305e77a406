#include "apps/common/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace pleiad::apps {

bool is_terminal(std::FILE* file) { return ::isatty(::fileno(file)) == 1; }

TerminalSize terminal_size(std::FILE* file) {
  TerminalSize found;
  winsize size = {};
  if (::ioctl(::fileno(file), TIOCGWINSZ, &size) != 0) return found;
  if (size.ws_col > 0) found.columns = size.ws_col;
  if (size.ws_row > 0) found.rows = size.ws_row;
  return found;
}

int terminal_width(std::FILE* file) { return terminal_size(file).columns; }

}  // namespace pleiad::apps
