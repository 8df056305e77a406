#include "store/modelfile_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/utf8.h"

namespace pleiad::store {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kLongQuotes = "\"\"\"";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view trim_end(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::size_t count_at_end(std::string_view text, char wanted) {
  std::size_t count = 0;
  while (count < text.size() && text[text.size() - 1 - count] == wanted) ++count;
  return count;
}

/// How a line of a long text ends: with so many quotes after so many backslashes.
struct LineEnd {
  std::size_t quotes = 0;
  std::size_t backslashes = 0;
};

LineEnd end_of(std::string_view trimmed) {
  LineEnd end;
  end.quotes = count_at_end(trimmed, '"');
  trimmed.remove_suffix(end.quotes);
  end.backslashes = count_at_end(trimmed, '\\');
  return end;
}

}  // namespace

ModelfileReader::ModelfileReader(std::string_view text) : rest_(text) {
  if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
}

std::string_view ModelfileReader::take_line() {
  const std::size_t end = rest_.find('\n');
  const std::string_view line = rest_.substr(0, end);
  rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
  ++n_lines_;
  if (!is_utf8(line)) throw Error("line {}: is not valid UTF-8", n_lines_);
  return line;
}

void ModelfileReader::skip_blanks() {
  while (!line_rest_.empty() && is_blank(line_rest_.front())) line_rest_.remove_prefix(1);
}

std::optional<Instruction> ModelfileReader::next() {
  while (!rest_.empty()) {
    line_rest_ = take_line();
    line_ = n_lines_;
    skip_blanks();
    if (line_rest_.empty() || line_rest_.front() == '#') continue;
    const auto* end = std::ranges::find_if(line_rest_, is_blank);
    const std::string_view keyword(line_rest_.data(),
                                   static_cast<std::size_t>(end - line_rest_.begin()));
    line_rest_.remove_prefix(keyword.size());
    return Instruction{keyword};
  }
  return std::nullopt;
}

std::string ModelfileReader::word() {
  skip_blanks();
  const auto* end = std::ranges::find_if(line_rest_, is_blank);
  const std::string result(line_rest_.begin(), end);
  line_rest_.remove_prefix(result.size());
  return result;
}

std::string ModelfileReader::value() {
  skip_blanks();
  if (line_rest_.starts_with(kLongQuotes)) return long_value();
  const std::string_view text = trim_end(line_rest_);
  line_rest_ = {};
  if (!text.starts_with('"')) return std::string(text);
  if (text.size() < 2 || !text.ends_with('"')) {
    throw Error(
        "line {}: a value that begins with \" ends with \" on the same line; texts of "
        "several lines stand between \"\"\" and \"\"\"",
        line_);
  }
  return std::string(text.substr(1, text.size() - 2));
}

std::string ModelfileReader::long_value() {
  std::string result;
  std::string_view line = line_rest_.substr(kLongQuotes.size());
  line_rest_ = {};
  while (true) {
    const std::string_view trimmed = trim_end(line);
    const LineEnd end = end_of(trimmed);
    const bool is_marked = end.quotes >= kLongQuotes.size();
    if (!is_marked) {
      result += line;
    } else {
      const std::size_t text = trimmed.size() - end.quotes - end.backslashes;
      result += trimmed.substr(0, text);
      result.append(end.backslashes / 2, '\\');
      const bool closes = end.backslashes % 2 == 0;
      result.append(closes ? end.quotes - kLongQuotes.size() : end.quotes, '"');
      if (closes) return result;
      result += line.substr(trimmed.size());
    }
    if (rest_.empty())
      throw Error("line {}: the text after \"\"\" is never closed by \"\"\"", line_);
    result += '\n';
    line = take_line();
  }
}

std::string quote_value(const std::string& value) {
  const bool plain = !value.empty() && value.find('\n') == std::string::npos &&
                     value.front() != '"' && !is_blank(value.front()) && !is_blank(value.back());
  if (plain) return value;
  std::string result(kLongQuotes);
  std::string_view rest = value;
  while (true) {
    const std::size_t newline = rest.find('\n');
    const bool last = newline == std::string_view::npos;
    const std::string_view line = rest.substr(0, newline);
    const std::string_view trimmed = last ? line : trim_end(line);
    const LineEnd end = end_of(trimmed);
    result += trimmed.substr(0, trimmed.size() - end.quotes - end.backslashes);
    const bool is_marked = last || end.quotes >= kLongQuotes.size();
    result.append(is_marked ? 2 * end.backslashes + (last ? 0 : 1) : end.backslashes, '\\');
    result.append(end.quotes, '"');
    result += line.substr(trimmed.size());
    if (last) break;
    result += '\n';
    rest = rest.substr(newline + 1);
  }
  return result + std::string(kLongQuotes);
}

}  // namespace pleiad::store
