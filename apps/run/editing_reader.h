#pragma once

#include "apps/run/history_file.h"
#include "apps/run/line_reader.h"
#include "apps/run/terminal_mode.h"

namespace pleiad::apps {

/// Messages that are edited at a terminal.
class EditingReader final : public LineReader {
 public:
  explicit EditingReader(LineReaderOptions options);

  ReadResult read(const std::string& prompt, std::string& text) override;
  void remember(const std::string& text) override;

 private:
  enum class Input { some, none, interrupted, end, ended };

  ReadResult edit();
  Input wait();
  void fit();
  void suspend();

  HistoryFile file_;
  terminal::LineHistory history_;
  terminal::LineEditor editor_;
  terminal::KeyReader keys_;
  TerminalMode mode_;
};

}  // namespace pleiad::apps
