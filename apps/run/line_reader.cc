#include "apps/run/line_reader.h"

#include <iostream>

#include "apps/common/interrupt.h"
#include "apps/common/output.h"
#include "apps/common/terminal.h"
#include "apps/run/editing_reader.h"

namespace pleiad::apps {
namespace {

class PlainReader final : public LineReader {
 public:
  /// Prompts are for people.
  explicit PlainReader(bool shows_prompt) : shows_prompt_(shows_prompt) {}

  ReadResult read(const std::string& prompt, std::string& text) override {
    if (shows_prompt_) print(prompt);
    text.clear();
    if (std::getline(std::cin, text)) {
      if (!text.empty() && text.back() == '\r') text.pop_back();
      return ReadResult::line;
    }
    if (InterruptGuard::ended()) return ReadResult::ended;
    if (InterruptGuard::pressed()) {
      std::cin.clear();
      if (shows_prompt_) print("\n");
      return ReadResult::interrupted;
    }
    return ReadResult::end;
  }

 private:
  bool shows_prompt_;
};

}  // namespace

std::unique_ptr<LineReader> make_line_reader(LineReaderOptions options) {
  const bool at_terminal = is_terminal(stdin) && is_terminal(stdout);
  if (at_terminal && !options.dumb_terminal) {
    return std::make_unique<EditingReader>(std::move(options));
  }
  return std::make_unique<PlainReader>(at_terminal);
}

}  // namespace pleiad::apps
