#include "apps/run/terminal_mode.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
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

// For the handler of a signal, which the language gives no other way to them. What the terminal is
// to be set to when the program goes on, and what asks it to mark pastes.
termios g_wanted = {};
std::atomic<bool> g_is_wanted = false;
std::array<char, 16> g_marks = {};
std::size_t g_marks_size = 0;

/// The program goes on. In the background the terminal is somebody else's, and setting it would
/// stop the program again.
void on_continue(int /*signal*/) {
  const int error = errno;
  if (g_is_wanted && ::tcgetpgrp(STDIN_FILENO) == ::getpgrp()) {
    ::tcsetattr(STDIN_FILENO, TCSANOW, &g_wanted);
    [[maybe_unused]] const ssize_t count = ::write(STDOUT_FILENO, g_marks.data(), g_marks_size);
  }
  errno = error;
}

void watch_for_continue() {
  const std::string marks = terminal::mark_pastes(true).bytes;
  g_marks_size = std::min(marks.size(), g_marks.size());
  std::copy_n(marks.begin(), g_marks_size, g_marks.begin());
  struct sigaction action = {};
  action.sa_handler = on_continue;  // no SA_RESTART: a waiting poll() comes back
  ::sigaction(SIGCONT, &action, nullptr);
}

void set_and_want(const termios& mode) {
  g_is_wanted = false;
  set_mode(mode);
  g_wanted = mode;
  g_is_wanted = true;
}

}  // namespace

TerminalMode::TerminalMode() {
  if (::tcgetattr(STDIN_FILENO, &before_) != 0) {
    throw Error("the terminal's settings cannot be read: {}", errno_text(errno));
  }
  read_typed();
  watch_for_continue();
  watch();
  print(terminal::mark_pastes(true));
}

TerminalMode::~TerminalMode() { restore(); }

void TerminalMode::restore() noexcept {
  g_is_wanted = false;
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
      typed_ += kEnd;
      break;
    }
    typed_.append(bytes.data(), static_cast<std::size_t>(count));
  }
  std::ranges::replace(typed_, '\n', '\r');
}

bool TerminalMode::makes_lines() const {
  termios now = {};
  return ::tcgetattr(STDIN_FILENO, &now) == 0 && (now.c_lflag & ICANON) != 0;
}

void TerminalMode::edit() {
  if (makes_lines()) read_typed();
  still_edit();
  print(terminal::mark_pastes(true));
}

void TerminalMode::still_edit() { set_and_want(raw(before_)); }

void TerminalMode::watch() {
  termios mode = raw(before_);
  mode.c_lflag |= ISIG;
  mode.c_cc[VQUIT] = _POSIX_VDISABLE;  // would leave the terminal so
  set_and_want(mode);
}

void TerminalMode::suspend() {
  restore();
  ::kill(0, SIGTSTP);  // all of the job, as the terminal would
  edit();
}

}  // namespace pleiad::apps
