#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pleiad::terminal {

/// A text of several lines with a cursor in it, which stands between what readers call characters
/// (display_width.h). Well-formed UTF-8.
class EditBuffer {
 public:
  const std::string& text() const { return text_; }
  /// Bytes before the cursor.
  std::size_t cursor() const { return cursor_; }

  /// Another text; the cursor at its end. What was done to the old one is forgotten.
  void set(std::string text);
  void insert(std::string_view text);
  /// Instead of the bytes from `from` to the cursor.
  void replace_before(std::size_t from, std::string_view text);

  void erase_before();
  void erase_behind();
  // These keep what they take for yank(); one after the other, all of it.
  void kill_word_before();
  void kill_word_behind();
  void kill_line_before();
  void kill_line_behind();
  void yank();
  /// Exchanges the characters around the cursor.
  void transpose();
  void undo();

  // False where there is nowhere to go.
  bool move_left();
  bool move_right();
  void move_word_left();
  void move_word_right();
  void move_to(std::size_t cursor) { cursor_ = cursor; }
  /// Of the line that the cursor is in.
  std::size_t line_start() const;
  std::size_t line_end() const;

 private:
  struct Before {
    std::string text;
    std::size_t cursor;
  };
  enum class Change { none, typed, killed, other };

  void remember(Change change);
  void kill(std::size_t first, std::size_t last);
  std::size_t word_start() const;
  std::size_t word_end() const;

  std::string text_;
  std::size_t cursor_ = 0;
  std::string killed_;
  std::vector<Before> undo_;
  Change last_change_ = Change::none;
  std::size_t changed_at_ = 0;  // the cursor behind the last change
};

}  // namespace pleiad::terminal
