#pragma once

#include <string>
#include <string_view>

namespace pleiad::apps {

/// A manual page in the man(7) macros, which man, mandoc and groff read. Text is escaped: dashes of
/// flags stay dashes that can be copied, quotes stay straight, nothing begins a request. `words in
/// backticks` become bold, without the backticks.
class RoffPage {
 public:
  /// `section`: "1". `date`: "2026-11-24". `source`: "pleiad 0.1.0".
  RoffPage(std::string_view title, std::string_view section, std::string_view date,
           std::string_view source);

  void heading(std::string_view text);
  void subheading(std::string_view text);
  /// A paragraph, its lines wrapped, each sentence on a line of its own.
  void paragraph(std::string_view text);
  /// Lines as they are.
  void block(std::string_view lines);
  /// What a list explains, already in roff (see the functions below), and the explanation.
  void item(std::string_view term, std::string_view about);
  /// A line in roff.
  void raw(std::string_view line);

  const std::string& text() const { return text_; }

 private:
  void begin_paragraph();
  void wrapped(std::string_view text);

  std::string text_;
};

std::string roff_escaped(std::string_view text);
std::string roff_bold(std::string_view text);
std::string roff_italic(std::string_view text);

}  // namespace pleiad::apps
