#pragma once

#include <string>
#include <vector>

namespace pleiad {

/// A table for people: columns of text are flush left, columns of numbers flush right.
class TextTable {
 public:
  struct Column {
    std::string title;
    bool is_number = false;
  };

  /// Titles and cells are one line each: they may come from outside, and are made printable().
  explicit TextTable(std::vector<Column> columns);

  /// As many cells as there are columns.
  void add(std::vector<std::string> row);

  /// Columns two blanks apart; no blanks at the ends of lines.
  std::string text() const;
  /// The same in Markdown; bars in cells are escaped.
  std::string markdown() const;

 private:
  std::vector<std::string> titles() const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace pleiad
