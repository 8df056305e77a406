#include "apps/run/terminal_mode.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <exception>

#include "apps/common/output.h"
#include "base/error.h"
#include "terminal/editor/key_reader.h"

namespace pleiad::apps {
namespace {

void set_mode(const termios& mode) {
  // A signal may come between; output that waits is written before.
  while (::tcsetattr(STDIN_FILENO, TCSADRAIN, &mode) != 0 && errno == EINTR) {
  }
}

termios raw(const termios& before) {
  termios mode = before;
  mode.c_iflag &= ~static_cast<tcflag_t>(ICRNL | INLCR | IGNCR | IXON | ISTRIP);
  mode.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
  mode.c_cc[VMIN] = 1;
  mode.c_cc[VTIME] = 0;
  return mode;
}

}  // namespace

TerminalMode::TerminalMode() {
  if (::tcgetattr(STDIN_FILENO, &before_) != 0) {
    throw Error("the terminal's settings cannot be read: {}", errno_text(errno));
  }
  read_typed();
  watch();
  print(terminal::mark_pastes(true));
}

TerminalMode::~TerminalMode() { restore(); }

void TerminalMode::restore() noexcept {
  set_mode(before_);
  try {
    print(terminal::mark_pastes(false));
  } catch (const std::exception&) {  // there is nobody left to tell
  }
}

// The lines that wait, while the terminal makes lines of them: Enter is their end.
void TerminalMode::read_typed() {
  pollfd input = {STDIN_FILENO, POLLIN, 0};
  std::array<char, 4096> bytes = {};
  while (::poll(&input, 1, 0) == 1) {
    const ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      constexpr char kEnd = 'D' - '@';
      typed_before_ += kEnd;
      break;
    }
    typed_before_.append(bytes.data(), static_cast<std::size_t>(count));
  }
  std::ranges::replace(typed_before_, '\n', '\r');
}

void TerminalMode::edit() { set_mode(raw(before_)); }

void TerminalMode::watch() {
  termios mode = raw(before_);
  mode.c_lflag |= ISIG;
  mode.c_cc[VQUIT] = _POSIX_VDISABLE;  // would leave the terminal so
  set_mode(mode);
}

void TerminalMode::suspend() {
  restore();
  ::kill(0, SIGTSTP);  // all of the job, as the terminal would
  print(terminal::mark_pastes(true));
}

}  // namespace pleiad::apps
