#include "apps/usage/roff.h"

#include <cctype>
#include <sstream>
#include <vector>

#include "base/ascii.h"

namespace pleiad::apps {

namespace {

constexpr std::size_t kLineBytes = 78;

/// A line of text must not look like a request.
std::string roff_line(std::string line) {
  return line.starts_with('.') || line.starts_with('\'') ? "\\&" + line : line;
}

/// "`pleiad list`" in bold. An odd backtick stays one.
std::string with_bold_code(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t start = text.find('`');
    const std::size_t end = start == text.npos ? text.npos : text.find('`', start + 1);
    result += roff_escaped(text.substr(0, end == text.npos ? text.npos : start));
    if (end == text.npos) break;
    result += roff_bold(text.substr(start + 1, end - start - 1));
    text.remove_prefix(end + 1);
  }
  return result;
}

/// Words, of which those between backticks hold spaces.
std::vector<std::string> roff_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool in_code = false;
  for (const char c : text) {
    if (c == '`') in_code = !in_code;
    const bool blank = c == ' ' || c == '\n' || c == '\t';
    if (!blank || (in_code && c == ' ')) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

bool ends_sentence(std::string_view word) {
  while (word.ends_with(')') || word.ends_with('"')) word.remove_suffix(1);
  return (word.ends_with('.') && !word.ends_with("..")) || word.ends_with('?') ||
         word.ends_with('!');
}

}  // namespace

std::string roff_escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '\\':
        result += "\\e";
        break;
      case '-':
        result += "\\-";
        break;
      case '\'':
        result += "\\(aq";
        break;
      case '`':
        result += "\\(ga";
        break;
      case '^':
        result += "\\(ha";
        break;
      case '~':
        result += "\\(ti";
        break;
      case '"':
        result += "\\(dq";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string roff_bold(std::string_view text) { return "\\fB" + roff_escaped(text) + "\\fR"; }
std::string roff_italic(std::string_view text) { return "\\fI" + roff_escaped(text) + "\\fR"; }

RoffPage::RoffPage(std::string_view title, std::string_view section, std::string_view date,
                   std::string_view source) {
  raw(".\\\" Made by the program from its own flags; do not edit.");
  raw(".TH " + roff_escaped(ascii_upper(title)) + " " + std::string(section) + " \"" +
      std::string(date) + "\" \"" + std::string(source) + "\" \"Pleiad\"");
}

void RoffPage::raw(std::string_view line) { (text_ += line) += "\n"; }

void RoffPage::heading(std::string_view text) { raw(".SH " + roff_escaped(ascii_upper(text))); }

void RoffPage::subheading(std::string_view text) { raw(".SS " + roff_escaped(text)); }

void RoffPage::wrapped(std::string_view text) {
  std::string line;
  const auto flush = [&] {
    if (!line.empty()) raw(roff_line(std::move(line)));
    line.clear();
  };
  for (const std::string& word : roff_words(text)) {
    const std::string escaped = with_bold_code(word);
    if (!line.empty() && line.size() + 1 + escaped.size() > kLineBytes) flush();
    line += (line.empty() ? "" : " ") + escaped;
    if (ends_sentence(word)) flush();
  }
  flush();
}

void RoffPage::paragraph(std::string_view text) {
  if (text.find_first_not_of(" \n") == text.npos) return;
  begin_paragraph();
  wrapped(text);
}

// The first paragraph of a section needs no macro.
void RoffPage::begin_paragraph() {
  const std::size_t end = text_.size() - 1;
  const std::string last = text_.substr(text_.rfind('\n', end - 1) + 1);
  if (!last.starts_with(".SH") && !last.starts_with(".SS")) raw(".PP");
}

void RoffPage::block(std::string_view lines) {
  begin_paragraph();
  raw(".nf");
  std::istringstream stream{std::string(lines)};
  for (std::string line; std::getline(stream, line);) raw(roff_line(roff_escaped(line)));
  raw(".fi");
}

void RoffPage::item(std::string_view term, std::string_view about) {
  raw(".TP");
  raw(roff_line(std::string(term)));
  if (about.empty()) {
    raw("\\&");
  } else {
    wrapped(about);
  }
}

}  // namespace pleiad::apps
