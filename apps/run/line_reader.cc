#include "apps/run/line_reader.h"

#include <histedit.h>
#include <sys/stat.h>

#include <cstdio>
#include <iostream>

#include "apps/common/interrupt.h"
#include "apps/common/output.h"
#include "apps/common/terminal.h"
#include "base/text_format.h"

namespace pleiad::apps {

namespace fs = std::filesystem;

namespace {

class PlainReader final : public LineReader {
 public:
  ReadResult read(const std::string&, std::string& line) override {
    if (std::getline(std::cin, line)) {
      if (!line.empty() && line.back() == '\r') line.pop_back();
      return ReadResult::line;
    }
    if (InterruptGuard::pressed()) {
      std::cin.clear();
      return ReadResult::interrupted;
    }
    return ReadResult::end;
  }
};

class EditingReader final : public LineReader {
 public:
  explicit EditingReader(fs::path history_file)
      : history_file_(std::move(history_file)),
        edit_(::el_init("pleiad", stdin, stdout, stderr)),
        history_(::history_init()) {
    constexpr int kHistorySize = 1000;
    HistEvent event = {};
    ::history(history_, &event, H_SETSIZE, kHistorySize);
    ::history(history_, &event, H_SETUNIQUE, 1);
    if (!history_file_.empty()) ::history(history_, &event, H_LOAD, history_file_.c_str());
    ::el_set(edit_, EL_CLIENTDATA, this);
    ::el_set(edit_, EL_PROMPT, &EditingReader::prompt_of);
    ::el_set(edit_, EL_EDITOR, "emacs");
    ::el_set(edit_, EL_HIST, ::history, history_);
    ::el_set(edit_, EL_SIGNAL, 0);  // Ctrl-C is ours
    ::el_source(edit_, nullptr);    // ~/.editrc, as everywhere
  }
  ~EditingReader() override {
    ::history_end(history_);
    ::el_end(edit_);
  }
  EditingReader(const EditingReader&) = delete;
  EditingReader& operator=(const EditingReader&) = delete;

  ReadResult read(const std::string& prompt, std::string& line) override {
    prompt_ = printable(prompt, std::string::npos);
    int length = 0;
    const char* text = ::el_gets(edit_, &length);
    if (InterruptGuard::pressed()) {
      ::el_reset(edit_);
      print("\n");
      return ReadResult::interrupted;
    }
    if (!text || length <= 0) return ReadResult::end;
    line.assign(text, static_cast<std::size_t>(length));
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
    if (line.find_first_not_of(" \t") != std::string::npos) remember(text);
    return ReadResult::line;
  }

 private:
  static char* prompt_of(EditLine* edit) {
    EditingReader* self = nullptr;
    ::el_get(edit, EL_CLIENTDATA, &self);
    return self->prompt_.data();
  }

  void remember(const char* line) {
    HistEvent event = {};
    ::history(history_, &event, H_ENTER, line);
    if (history_file_.empty()) return;
    // What a user asks is nobody else's business, from the first moment on.
    const mode_t mask = ::umask(0077);
    std::error_code error;
    fs::create_directories(history_file_.parent_path(), error);
    ::history(history_, &event, H_SAVE, history_file_.c_str());
    ::umask(mask);
  }

  fs::path history_file_;
  std::string prompt_;
  EditLine* edit_;
  History* history_;
};

}  // namespace

std::unique_ptr<LineReader> make_line_reader(const fs::path& history_file) {
  if (is_terminal(stdin) && is_terminal(stdout)) {
    return std::make_unique<EditingReader>(history_file);
  }
  return std::make_unique<PlainReader>();
}

}  // namespace pleiad::apps
