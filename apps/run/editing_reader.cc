#include "apps/run/editing_reader.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "apps/common/interrupt.h"
#include "apps/common/output.h"
#include "apps/common/terminal.h"
#include "base/text_format.h"

namespace pleiad::apps {
namespace {

using terminal::LineEditor;

/// Makes a waiting poll() come back when the terminal's size changes, as TerminalMode does for a
/// program that goes on. Where another thread takes the signal, it is seen with the next look at
/// the clock.
void wake_for_changes() {
  struct sigaction action = {};
  action.sa_handler = [](int) {};
  ::sigaction(SIGWINCH, &action, nullptr);
}

}  // namespace

EditingReader::EditingReader(LineReaderOptions options)
    : file_(std::move(options.history_file)),
      history_(file_.load()),
      editor_(history_, std::move(options.complete)) {
  wake_for_changes();
  keys_.push(mode_.typed());
}

void EditingReader::fit() {
  const os::TerminalSize size = terminal_size(stdout);
  print(editor_.resize(size.columns, size.rows));
}

ReadResult EditingReader::read(const std::string& prompt, std::string& text) {
  constexpr const char* kNextLines = "... ";
  mode_.edit();
  keys_.push(mode_.typed());
  editor_.begin({printable(prompt, std::string::npos), kNextLines});
  fit();
  const ReadResult result = edit();
  mode_.watch();
  text = editor_.text();
  return result;
}

ReadResult EditingReader::edit() {
  print(editor_.draw());
  for (;;) {
    while (const auto key = keys_.next()) {
      switch (editor_.handle(*key)) {
        case LineEditor::Event::none:
          continue;
        case LineEditor::Event::submitted:
          print(editor_.leave());
          return ReadResult::line;
        case LineEditor::Event::interrupted:
          print(editor_.leave());
          return ReadResult::interrupted;
        case LineEditor::Event::ended:
          print(editor_.leave());
          return ReadResult::end;
        case LineEditor::Event::suspended:
          suspend();
          continue;
      }
    }
    print(editor_.draw());
    switch (wait()) {
      case Input::some:
      case Input::none:
        break;
      case Input::interrupted:
        print(editor_.leave());
        return ReadResult::interrupted;
      case Input::end:
        return ReadResult::end;
      case Input::ended:
        print(editor_.leave());
        return ReadResult::ended;
    }
    fit();
  }
}

// What was typed goes to the keys.
EditingReader::Input EditingReader::wait() {
  // Milliseconds: Escape alone is a key when nothing follows at once; the beginning of a sequence
  // waits longer, for a slow line may tear it; what has come of a paste is shown when the rest is
  // late; else only a change of size that went unnoticed is looked for.
  constexpr int kEscape = 50;
  constexpr int kSequence = 1000;
  constexpr int kUsual = 500;
  const int patience = keys_.in_paste()      ? kUsual
                       : keys_.in_sequence() ? kSequence
                       : keys_.is_waiting()  ? kEscape
                                             : kUsual;
  pollfd input = {STDIN_FILENO, POLLIN, 0};
  const int ready = ::poll(&input, 1, patience);
  if (InterruptGuard::ended()) return Input::ended;
  if (InterruptGuard::pressed())
    return Input::interrupted;  // from outside: the key is no signal here
  if (ready == 0) keys_.stop_waiting();
  if (mode_.makes_lines()) {
    mode_.edit();
    keys_.push(mode_.typed());
    return Input::some;
  }
  if (ready <= 0) {
    mode_.still_edit();  // whoever stopped the program may have changed it
    return Input::none;
  }
  std::array<char, 4096> bytes = {};
  const ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
  if (count < 0 && errno == EINTR) return Input::none;
  if (count <= 0) return Input::end;
  keys_.push({bytes.data(), static_cast<std::size_t>(count)});
  return Input::some;
}

void EditingReader::suspend() {
  print(editor_.leave());
  mode_.suspend();
  keys_.push(mode_.typed());
}

void EditingReader::remember(const std::string& text) {
  if (history_.add(text)) file_.append(text);
}

}  // namespace pleiad::apps
