#include "apps/common/terminal.h"

namespace pleiad::apps {

os::TerminalSize terminal_size(std::FILE* file) {
  os::TerminalSize size = os::terminal_size(file);
  if (size.columns <= 0) size.columns = 80;
  if (size.rows <= 0) size.rows = 24;
  return size;
}

int terminal_width(std::FILE* file) { return terminal_size(file).columns; }

}  // namespace pleiad::apps
