#include "terminal/editor/line_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/utf8.h"

namespace pleiad::terminal {
namespace {

std::string well_formed(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    result += length == 0 ? std::string_view("\uFFFD") : text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

bool is_octal(char c) { return c >= '0' && c <= '7'; }

/// What stands behind a backslash: one to three octal digits, "M-c" and "M^c" (with the highest
/// bit),
/// "^c" (a control), a letter of C, or the character itself. Gives its bytes; `c`: what it means.
std::size_t take_escape(std::string_view text, char& c) {
  std::size_t n = 0;
  int value = 0;
  while (n < 3 && n < text.size() && is_octal(text[n])) value = value * 8 + (text[n++] - '0');
  if (n > 0) {
    c = static_cast<char>(value);
    return n;
  }
  const auto control = [](char of) { return static_cast<char>(of == '?' ? 0x7F : of & 0x1F); };
  if (text[0] == '^' && text.size() > 1) {
    c = control(text[1]);
    return 2;
  }
  if (text[0] == 'M' && text.size() > 2 && (text[1] == '-' || text[1] == '^')) {
    const char low = text[1] == '^' ? control(text[2]) : text[2];
    c = static_cast<char>(static_cast<unsigned char>(low) | 0x80);
    return 3;
  }
  constexpr std::string_view kLetters = "abtnvfrsE";
  constexpr std::string_view kMeant = "\a\b\t\n\v\f\r \x1b";
  const std::size_t letter = kLetters.find(text[0]);
  c = letter == std::string_view::npos ? text[0] : kMeant[letter];
  return 1;
}

}  // namespace

LineHistory::LineHistory(std::vector<std::string> entries) : entries_(std::move(entries)) {
  if (entries_.size() > kMost) {
    entries_.erase(entries_.begin(), entries_.end() - static_cast<long>(kMost));
  }
}

bool LineHistory::add(std::string text) {
  const bool is_blank = text.find_first_not_of(" \t\n") == std::string::npos;
  if (is_blank || (!entries_.empty() && entries_.back() == text)) return false;
  if (entries_.size() == kMost) entries_.erase(entries_.begin());
  entries_.push_back(std::move(text));
  return true;
}

std::optional<std::size_t> LineHistory::find_older(std::string_view text,
                                                   std::size_t before) const {
  for (std::size_t i = std::min(before, entries_.size()); i > 0; --i) {
    if (entries_[i - 1].find(text) != std::string::npos) return i - 1;
  }
  return std::nullopt;
}

std::string encode_history_line(std::string_view entry) {
  std::string line;
  for (const char c : entry) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || byte == 0x7F || c == '\\') {
      line += fmt::format("\\{:03o}", byte);
    } else {
      line += c;
    }
  }
  return line;
}

std::string decode_history_line(std::string_view line) {
  std::string entry;
  while (!line.empty()) {
    if (line[0] != '\\' || line.size() == 1) {
      entry += line[0];
      line.remove_prefix(1);
      continue;
    }
    line.remove_prefix(1);
    char c = 0;
    line.remove_prefix(take_escape(line, c));
    entry += c;
  }
  // libedit kept the end of the line with it.
  while (entry.ends_with('\n')) entry.pop_back();
  return well_formed(entry);
}

std::vector<std::string> decode_history(std::string_view file) {
  std::vector<std::string> entries;
  while (!file.empty()) {
    const std::size_t end = std::min(file.find('\n'), file.size());
    const std::string_view line = file.substr(0, end);
    file.remove_prefix(std::min(end + 1, file.size()));
    if (line.empty() || line == kHistoryHeader) continue;
    std::string entry = decode_history_line(line);
    if (!entry.empty()) entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace pleiad::terminal
