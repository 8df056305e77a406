#include "terminal/editor/edit_screen.h"

#include <fmt/format.h>

#include <algorithm>

namespace pleiad::terminal {
namespace {

constexpr std::string_view kEraseBelow = "\x1b[J";  // and the rest of the line
constexpr std::string_view kEraseRight = "\x1b[K";

std::string moved(std::size_t n, char direction) {
  return n == 0 ? "" : fmt::format("\x1b[{}{}", n, direction);
}

}  // namespace

void EditScreen::move_to(std::string& out, std::size_t row, int column) {
  if (row < row_) out += moved(row_ - row, 'A');
  if (row > row_) {
    // Rows that were never drawn do not exist yet: line feeds make them.
    out += "\r";
    for (; row_ < row; ++row_) out += "\n";
    column_ = 0;
  }
  row_ = row;
  if (column_ == column) return;
  out += "\r" + moved(static_cast<std::size_t>(column), 'C');
  column_ = column;
}

void EditScreen::draw_row(std::string& out, std::size_t row, const EditRow& now) {
  const bool is_new = row >= drawn_.size();
  if (!is_new && drawn_[row].shown == now.shown) return;
  const bool grows =
      !is_new && now.shown.starts_with(drawn_[row].shown) && drawn_[row].columns < columns_;
  move_to(out, row, grows ? drawn_[row].columns : 0);
  out += grows ? now.shown.substr(drawn_[row].shown.size()) : now.shown;
  // Behind a full row this would erase its last column.
  if (!grows && !is_new && now.columns < columns_) out += kEraseRight;
  column_ = now.columns < columns_ ? now.columns : -1;
  if (is_new) {
    drawn_.push_back(now);
  } else {
    drawn_[row] = now;
  }
}

std::string EditScreen::draw(const EditLayout& layout, int columns, int height) {
  columns_ = columns;
  const auto most = static_cast<std::size_t>(std::max(height, 1));
  const std::size_t n = layout.rows.size();
  if (layout.cursor_row < top_) top_ = layout.cursor_row;
  if (layout.cursor_row >= top_ + most) top_ = layout.cursor_row - most + 1;
  if (top_ + most > n) top_ = n > most ? n - most : 0;
  const std::size_t n_shown = std::min(n - top_, most);
  std::string out;
  for (std::size_t i = 0; i < n_shown; ++i) draw_row(out, i, layout.rows[top_ + i]);
  if (drawn_.size() > n_shown) {
    move_to(out, n_shown, 0);
    out += kEraseBelow;
    drawn_.resize(n_shown);
  }
  move_to(out, layout.cursor_row - top_, layout.cursor_column);
  return out;
}

std::string EditScreen::leave(const EditLayout& layout, int columns, int height) {
  std::string out = draw(layout, columns, height);
  if (top_ > 0 || drawn_.size() < layout.rows.size()) {
    // Some of it is not on the screen: all of it once, from where it begins.
    move_to(out, 0, 0);
    out += kEraseBelow;
    for (const EditRow& row : layout.rows) out += row.shown + "\r\n";
  } else {
    if (row_ + 1 < drawn_.size()) move_to(out, drawn_.size() - 1, 0);
    out += "\r\n";
  }
  forget();
  return out;
}

std::string EditScreen::resize(int columns) {
  if (drawn_.empty()) return {};
  const auto rows_of = [&](int width) {
    return static_cast<std::size_t>(std::max((width + columns - 1) / columns, 1));
  };
  std::size_t above = 0;
  for (std::size_t i = 0; i < std::min(row_, drawn_.size()); ++i)
    above += rows_of(drawn_[i].columns);
  above += static_cast<std::size_t>(std::max(column_, 0) / columns);
  std::string out = moved(above, 'A') + "\r" + std::string(kEraseBelow);
  forget();
  return out;
}

std::string EditScreen::clear() {
  forget();
  return "\x1b[H\x1b[2J";
}

void EditScreen::forget() {
  drawn_.clear();
  top_ = row_ = 0;
  column_ = columns_ = 0;
}

}  // namespace pleiad::terminal
