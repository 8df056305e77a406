#include "apps/common/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace pleiad::apps {

bool is_terminal(std::FILE* file) { return ::isatty(::fileno(file)) == 1; }

int terminal_width(std::FILE* file) {
  winsize size = {};
  if (::ioctl(::fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

}  // namespace pleiad::apps
