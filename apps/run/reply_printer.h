#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/common/output.h"
#include "engine/chat.h"
#include "terminal/markdown/markdown_text.h"

namespace pleiad::apps {

struct PrintStyle {
  bool colour = false;  // dim thoughts and notes
  bool show_thinking = true;
  bool thinking_apart = false;  // thoughts go to the error output: the reply is read by a program
  // Of a terminal that obeys sequences alone:
  bool markdown = false;
  bool wrap = false;  // at its width
};

/// Shows a reply while it comes.
class ReplyPrinter {
 public:
  explicit ReplyPrinter(PrintStyle style);
  /// Leaves the terminal as it was, whatever happened.
  ~ReplyPrinter();
  ReplyPrinter(const ReplyPrinter&) = delete;
  ReplyPrinter& operator=(const ReplyPrinter&) = delete;

  void print(const text::ReplyEvent& event);
  /// Ends the last line.
  void finish();

 private:
  void print_thinking(const std::string& text);
  void end_thinking();
  void print_content(std::string_view text);
  void print_line(const std::string& line);
  void show(terminal::MarkdownText& shown, std::string_view text);

  PrintStyle style_;
  TextOutput content_;
  TextOutput thinking_;
  std::optional<terminal::MarkdownText> shown_content_;  // instead, where replies are shown
  std::optional<terminal::MarkdownText> shown_thinking_;
  bool in_thinking_ = false;
  bool at_line_start_ = true;
};

/// get_weather({"city":"Paris"})
std::string tool_call_text(const text::ReplyEvent& call);

/// What the user must know about how a reply ended: "" after a normal end.
std::string end_note(const ChatReply& reply, std::int64_t context_length);

/// That a thought of the reply was ended, and why; "" where none was.
std::string thought_note(const ChatReply& reply);

/// Counts, durations and rates, for --verbose; then the details, as name and value.
std::string stats_text(const ChatReply& reply,
                       const std::vector<std::pair<std::string, std::string>>& details);

}  // namespace pleiad::apps
