#include "base/os/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace pleiad::os {

bool is_terminal(std::FILE* file) { return ::isatty(::fileno(file)) == 1; }

TerminalSize terminal_size(std::FILE* file) {
  winsize size = {};
  if (::ioctl(::fileno(file), TIOCGWINSZ, &size) != 0) return {};
  return {size.ws_col, size.ws_row};
}

int descriptor_of(std::FILE* file) { return ::fileno(file); }

}  // namespace pleiad::os
