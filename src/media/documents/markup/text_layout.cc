#include "media/documents/markup/text_layout.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace pleiad::media {
namespace {

constexpr std::string_view kSpaces = " \t\n\r\f";
// A row with lines in its cells is still one line where it is no longer than this.
constexpr std::size_t kLongestRow = 500;
constexpr std::size_t kDeepestIndent = 16;

/// White space at both ends is taken away.
std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(kSpaces) + 1);
  text.erase(0, std::min(text.find_first_not_of('\n'), text.size()));
  return text;
}

std::string in_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::string line;
  for (const char c : text) {
    if (c != ' ' || (!line.empty() && line.back() != ' ')) line += c;
  }
  return line;
}

}  // namespace

TextLayout::TextLayout() : places_(1) {}

void TextLayout::begin_text() {
  Place& at = place();
  const bool begins_line = at.text.empty() || at.n_breaks > 0;
  if (!at.text.empty()) at.text.append(static_cast<std::size_t>(at.n_breaks), '\n');
  at.n_breaks = 0;
  if (begins_line) {
    at.text += mark_.empty() ? indent_ : std::exchange(mark_, {});
    at.wants_space = false;
  } else if (std::exchange(at.wants_space, false)) {
    at.text += ' ';
  }
}

void TextLayout::add(std::string_view text) {
  while (!text.empty()) {
    const std::size_t n_space = std::min(text.find_first_not_of(kSpaces), text.size());
    if (n_space > 0) place().wants_space = true;
    text.remove_prefix(n_space);
    const std::size_t n = std::min(text.find_first_of(kSpaces), text.size());
    if (n == 0) return;
    begin_text();
    place().text += text.substr(0, n);
    text.remove_prefix(n);
  }
}

void TextLayout::add_verbatim(std::string_view text) {
  while (!text.empty()) {
    const std::size_t n = std::min(text.find('\n'), text.size());
    if (n > 0) {
      begin_text();
      place().text += text.substr(0, n);
    }
    if (n == text.size()) return;
    // Empty lines within are kept.
    Place& at = place();
    if (!at.text.empty()) ++at.n_breaks;
    text.remove_prefix(n + 1);
  }
}

void TextLayout::break_line() {
  place().n_breaks = std::max(place().n_breaks, 1);
  place().wants_space = false;
}

void TextLayout::break_block() {
  place().n_breaks = std::max(place().n_breaks, 2);
  place().wants_space = false;
}

void TextLayout::mark_line(std::string_view mark) { mark_ = indent_ + std::string(mark); }

void TextLayout::begin_list() {
  if (++list_depth_ == 1) break_block();
}

void TextLayout::end_list() {
  if (list_depth_ > 0) --list_depth_;
  indent_.assign(2 * std::min(list_depth_, kDeepestIndent), ' ');
  if (list_depth_ == 0) break_block();
}

void TextLayout::begin_point(std::string_view mark) {
  begin_point_at(std::max<std::size_t>(list_depth_, 1) - 1, mark);
}

void TextLayout::begin_point_at(std::size_t depth, std::string_view mark) {
  break_line();
  const std::string before(2 * std::min(depth, kDeepestIndent), ' ');
  mark_ = before + std::string(mark);
  indent_ = before + "  ";
}

void TextLayout::begin_row() {
  if (rows_.size() >= kMaxTables) {
    ++n_rows_too_deep_;
    return break_line();
  }
  rows_.push_back({{}, false, std::exchange(indent_, {})});
}

void TextLayout::begin_cell() {
  if (n_rows_too_deep_ > 0 || rows_.empty()) return break_line();
  end_cell();
  rows_.back().in_cell = true;
  places_.emplace_back();
  mark_.clear();
}

void TextLayout::end_cell() {
  if (n_rows_too_deep_ > 0 || rows_.empty() || !rows_.back().in_cell) return;
  rows_.back().in_cell = false;
  rows_.back().cells.push_back(trimmed(std::move(place().text)));
  places_.pop_back();
  mark_.clear();
  indent_.clear();
}

void TextLayout::end_row() {
  if (n_rows_too_deep_ > 0) {
    --n_rows_too_deep_;
    return break_line();
  }
  if (rows_.empty()) return;
  end_cell();
  const Row row = std::move(rows_.back());
  rows_.pop_back();
  indent_ = row.outer_indent;
  put_row(row);
}

void TextLayout::put_row(const Row& row) {
  const bool is_empty = std::ranges::all_of(row.cells, &std::string::empty);
  if (is_empty) return;
  const auto add_size = [](std::size_t sum, const std::string& cell) { return sum + cell.size(); };
  const std::size_t size =
      std::accumulate(row.cells.begin(), row.cells.end(), std::size_t{0}, add_size);
  const auto has_lines = [](const std::string& cell) {
    return cell.find('\n') != std::string::npos;
  };
  if (size > kLongestRow && std::ranges::any_of(row.cells, has_lines)) {
    // A table that lays out a page.
    for (const std::string& cell : row.cells) {
      if (cell.empty()) continue;
      break_block();
      add_verbatim(cell);
    }
    return break_block();
  }
  break_line();
  std::string line;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    if (i > 0) line += " | ";
    line += in_one_line(row.cells[i]);
  }
  add_verbatim(line);
  break_line();
}

std::string TextLayout::take() {
  while (!rows_.empty()) end_row();
  std::string text = trimmed(std::move(place().text));
  if (!text.empty()) text += '\n';
  return text;
}

}  // namespace pleiad::media
