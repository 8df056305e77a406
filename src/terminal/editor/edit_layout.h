#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pleiad::terminal {

/// A row of the screen.
struct EditRow {
  std::string shown;      // what a terminal may be sent; no controls
  int columns = 0;        // that it takes
  std::size_t begin = 0;  // the byte of the text that it begins with, behind a prompt
  int first_column = 0;   // where that stands
};

/// A text that is edited, as rows of a terminal.
struct EditLayout {
  std::vector<EditRow> rows;  // at least one
  std::size_t cursor_row = 0;
  int cursor_column = 0;
};

struct EditPrompts {
  std::string first = {};  // before the text
  std::string rest = {};   // before its other lines
};

/// What a terminal would obey is shown instead, as base/terminal_text.h says; tabs are blanks up to
/// the next column that eight divides. `columns` >= 1; prompts are without controls, and cut where
/// they would leave no column.
EditLayout lay_out(std::string_view text, std::size_t cursor, const EditPrompts& prompts,
                   int columns);

/// The place in the text that stands in a row at a column, or as near before it as there is one.
std::size_t place_at(std::string_view text, const EditLayout& layout, std::size_t row, int column);

}  // namespace pleiad::terminal
