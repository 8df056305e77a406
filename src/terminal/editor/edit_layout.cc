#include "terminal/editor/edit_layout.h"

#include <algorithm>

#include "base/terminal_text.h"
#include "terminal/display_width.h"

namespace pleiad::terminal {
namespace {

/// What is shown for one of a reader's characters at a column, which is no end of line.
struct Shown {
  std::string text;
  int columns = 0;
};
Shown show(std::string_view cluster, int column) {
  if (cluster == "\t") {
    constexpr int kTab = 8;
    const int n = kTab - column % kTab;
    return {std::string(static_cast<std::size_t>(n), ' '), n};
  }
  Shown shown;
  while (!cluster.empty()) {
    const TerminalCharacter character = first_terminal_character(cluster);
    shown.text +=
        character.is_safe ? cluster.substr(0, character.length) : std::string_view(character.shown);
    cluster.remove_prefix(character.length);
  }
  shown.columns = display_width(shown.text);
  return shown;
}

/// As much of a prompt as leaves a column.
EditRow row_with(std::string_view prompt, std::size_t begin, int columns) {
  EditRow row;
  row.begin = begin;
  while (!prompt.empty()) {
    const std::string_view cluster = prompt.substr(0, cluster_length(prompt));
    const int width = display_width(cluster);
    if (row.columns + width > columns - 1) break;
    row.shown += cluster;
    row.columns += width;
    prompt.remove_prefix(cluster.size());
  }
  row.first_column = row.columns;
  return row;
}

}  // namespace

EditLayout lay_out(std::string_view text, std::size_t cursor, const EditPrompts& prompts,
                   int columns) {
  EditLayout layout;
  layout.rows.push_back(row_with(prompts.first, 0, columns));
  const auto set_cursor = [&] {
    layout.cursor_row = layout.rows.size() - 1;
    layout.cursor_column = std::min(layout.rows.back().columns, columns - 1);
  };
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] == '\n') {
      if (at == cursor) set_cursor();
      layout.rows.push_back(row_with(prompts.rest, ++at, columns));
      continue;
    }
    const std::size_t length = cluster_length(text.substr(at));
    const std::string_view cluster = text.substr(at, length);
    Shown shown = show(cluster, layout.rows.back().columns);
    const EditRow& row = layout.rows.back();
    if (row.columns + shown.columns > columns && row.columns > 0) {
      layout.rows.push_back({{}, 0, at, 0});
      shown = show(cluster, 0);
    }
    // What was joined around the cursor is one thing to see: it stands before it.
    if (cursor >= at && cursor < at + length) set_cursor();
    layout.rows.back().shown += shown.text;
    layout.rows.back().columns += shown.columns;
    at += length;
  }
  if (cursor >= text.size()) {
    // Behind a full row the next character stands in the next one.
    if (layout.rows.back().columns >= columns) layout.rows.push_back({{}, 0, at, 0});
    set_cursor();
  }
  return layout;
}

std::size_t place_at(std::string_view text, const EditLayout& layout, std::size_t row, int column) {
  const EditRow& found = layout.rows[row];
  const bool is_last = row + 1 == layout.rows.size();
  // The last place of a row that is continued belongs to the next one.
  const std::size_t end = is_last ? text.size() : layout.rows[row + 1].begin;
  int at_column = found.first_column;
  std::size_t at = found.begin;
  while (at < end && text[at] != '\n') {
    const std::size_t length = cluster_length(text.substr(at));
    const int width = show(text.substr(at, length), at_column).columns;
    if (at_column + width > column) break;
    if (!is_last && at + length >= end) break;
    at_column += width;
    at += length;
  }
  return at;
}

}  // namespace pleiad::terminal
