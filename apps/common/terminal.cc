#include "apps/common/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"

namespace pleiad::apps {

bool is_terminal(std::FILE* file) { return ::isatty(::fileno(file)) == 1; }

int terminal_width(std::FILE* file) {
  winsize size = {};
  if (::ioctl(::fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

void write_all(std::FILE* file, std::string_view text) {
  std::fflush(file);
  while (!text.empty()) {
    const ssize_t count = ::write(::fileno(file), text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;  // Ctrl-C, which others look at
    if (count < 0) throw Error("cannot write the output: {}", errno_text(errno));
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace pleiad::apps
