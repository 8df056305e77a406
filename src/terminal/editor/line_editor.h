#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/editor/edit_buffer.h"
#include "terminal/editor/edit_layout.h"
#include "terminal/editor/edit_screen.h"
#include "terminal/editor/key_reader.h"
#include "terminal/editor/line_history.h"
#include "terminal/terminal_bytes.h"

namespace pleiad::terminal {

/// What may stand instead of the end of a line that is typed.
struct Completions {
  std::size_t begin = 0;                // of what they replace, up to the cursor
  std::vector<std::string> texts = {};  // each whole
};
/// Of the text before the cursor.
using Completer = std::function<Completions(std::string_view)>;

/// Editing a message of one or several lines at a terminal: keys in, what the terminal is to be
/// sent out. Knows no files and no system calls. Enter hands the message over; a paste never does.
class LineEditor {
 public:
  enum class Event { none, submitted, interrupted, ended, suspended };

  /// `history` must outlive the object.
  explicit LineEditor(const LineHistory& history, Completer complete = {});

  /// Another message begins, behind these prompts. Entries of the history that are changed stay so
  /// until then.
  void begin(EditPrompts prompts);
  Event handle(const Key& key);
  const std::string& text() const { return buffer_.text(); }

  /// What changed on the screen.
  TerminalBytes draw();
  /// The message stays as it is; the cursor is in the line below.
  TerminalBytes leave();
  /// The terminal's columns and rows; what was drawn in others is removed.
  TerminalBytes resize(int columns, int rows);

 private:
  struct Search {
    std::string text;
    std::optional<std::size_t> found;  // in the history
    EditBuffer before;                 // as it was when the search began
  };

  void edit(const Key& key);
  void move_rows(int direction);
  void keep_edited(const EditBuffer& shown);
  void show_entry(std::size_t index);
  void go_in_history(int direction);
  void complete();
  std::optional<Event> search(const Key& key);
  EditLayout layout() const;

  const LineHistory& history_;
  Completer complete_;
  EditPrompts prompts_;
  EditBuffer buffer_;
  EditScreen screen_;
  int columns_ = 80;
  int rows_ = 24;
  std::size_t entry_ = 0;                     // of the history; its size: the draft
  std::map<std::size_t, EditBuffer> edited_;  // what was left of them, and the draft
  std::optional<int> goal_column_;            // of moves from row to row
  std::optional<Search> search_;
  std::string before_next_;  // to be sent before the next drawing
};

}  // namespace pleiad::terminal
