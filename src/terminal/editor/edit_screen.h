#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "terminal/editor/edit_layout.h"

namespace pleiad::terminal {

/// Draws a text that is edited where a terminal's cursor stood, and draws again what changed. Where
/// it has more rows than the terminal, those around its cursor. Gives what the terminal is to be
/// sent.
class EditScreen {
 public:
  /// For a terminal of so many columns and rows.
  std::string draw(const EditLayout& layout, int columns, int height);
  /// All of it, to stay there; the terminal's cursor is in the line below.
  std::string leave(const EditLayout& layout, int columns, int height);
  /// The terminal has another width now: what was drawn is removed, as far as can be known where a
  /// terminal that breaks its lines anew has moved it.
  std::string resize(int columns);
  /// All of the screen is empty.
  std::string clear();
  /// What was drawn is not there any more.
  void forget();

 private:
  void move_to(std::string& out, std::size_t row, int column);
  void draw_row(std::string& out, std::size_t row, const EditRow& now);

  std::vector<EditRow> drawn_;
  std::size_t top_ = 0;  // the first row of the text that is drawn
  // Where the terminal's cursor stands in what is drawn. Column -1: behind a full row, where
  // terminals differ.
  std::size_t row_ = 0;
  int column_ = 0;
  int columns_ = 0;
};

}  // namespace pleiad::terminal
