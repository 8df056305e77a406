#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pleiad::media {

/// Puts the text of a page or a document into lines that are read without it: blocks with an empty
/// line between them, "# " before headings, "- " or "3. " before the points of lists, which are
/// indented by their depth, and rows of tables as "one | two | three".
///
/// Cells of tables lie in each other at most kMaxTables deep; below that rows are lines.
class TextLayout {
 public:
  TextLayout();

  /// Text whose runs of white space count as one space, none at ends of lines.
  void add(std::string_view text);
  /// Text as it is.
  void add_verbatim(std::string_view text);

  void break_line();
  /// An empty line before what comes next.
  void break_block();
  /// Put at the beginning of the next line: "## ".
  void mark_line(std::string_view mark);

  void begin_list();
  void end_list();
  /// A point of the list, or of none, with "- " or "3. ".
  void begin_point(std::string_view mark);
  /// The same at that depth, from 0, whatever lists there are.
  void begin_point_at(std::size_t depth, std::string_view mark);
  /// Whatever comes next is no part of a point.
  void end_points() { indent_.clear(); }

  void begin_row();
  void begin_cell();
  void end_cell();
  void end_row();

  /// The text, with one end of a line at its end; rows and cells that are open are closed.
  std::string take();

 private:
  static constexpr std::size_t kMaxTables = 16;

  /// What is written to: the text itself, or a cell.
  struct Place {
    std::string text;
    int n_breaks = 0;          // ends of lines that stand before what comes next
    bool wants_space = false;  // so does a space
  };
  struct Row {
    std::vector<std::string> cells;
    bool in_cell = false;
    std::string outer_indent;
  };

  Place& place() { return places_.back(); }
  void begin_text();
  void put_row(const Row& row);

  std::vector<Place> places_;
  std::vector<Row> rows_;
  std::size_t n_rows_too_deep_ = 0;
  std::string mark_;    // of the line that comes next
  std::string indent_;  // of the lines of a point
  std::size_t list_depth_ = 0;
};

}  // namespace pleiad::media
