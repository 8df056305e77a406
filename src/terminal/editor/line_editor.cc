#include "terminal/editor/line_editor.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text_format.h"
#include "terminal/display_width.h"

namespace pleiad::terminal {
namespace {

constexpr std::string_view kBell = "\a";

std::string common_beginning(const std::vector<std::string>& texts) {
  std::string common = texts.front();
  for (const std::string& text : texts) {
    const auto differs = std::ranges::mismatch(common, text);
    common.erase(differs.in1, common.end());
  }
  return common;
}

/// In columns, as many as there is room for.
std::string list_text(const std::vector<std::string>& texts, int columns) {
  constexpr std::size_t kMost = 100;
  const std::size_t n = std::min(texts.size(), kMost);
  int widest = 0;
  for (std::size_t i = 0; i < n; ++i) widest = std::max(widest, display_width(texts[i]));
  const int in_a_row = std::max(columns / (widest + 2), 1);
  std::string list;
  for (std::size_t i = 0; i < n; ++i) {
    const std::string& shown = texts[i];
    const bool ends_row = (static_cast<int>(i) + 1) % in_a_row == 0 || i + 1 == n;
    list += shown;
    if (ends_row) {
      list += "\r\n";
    } else {
      list += std::string(static_cast<std::size_t>(std::max(widest + 2 - display_width(shown), 1)),
                          ' ');
    }
  }
  if (n < texts.size()) list += fmt::format("... and {} more\r\n", texts.size() - n);
  return list;
}

}  // namespace

LineEditor::LineEditor(const LineHistory& history, Completer complete)
    : history_(history), complete_(std::move(complete)) {}

void LineEditor::begin(EditPrompts prompts) {
  prompts_ = std::move(prompts);
  buffer_.set("");
  edited_.clear();
  entry_ = history_.size();
  goal_column_.reset();
  search_.reset();
}

EditLayout LineEditor::layout() const {
  if (!search_) return lay_out(buffer_.text(), buffer_.cursor(), prompts_, columns_);
  const std::string prompt =
      fmt::format("({}search) {}: ", search_->text.empty() || search_->found ? "" : "failed ",
                  printable(search_->text));
  return lay_out(buffer_.text(), buffer_.cursor(), {prompt, prompts_.rest}, columns_);
}

TerminalBytes LineEditor::draw() {
  const std::string before = std::exchange(before_next_, {});
  return {before + screen_.draw(layout(), columns_, rows_)};
}

TerminalBytes LineEditor::leave() {
  search_.reset();
  return {std::exchange(before_next_, {}) + screen_.leave(layout(), columns_, rows_)};
}

TerminalBytes LineEditor::resize(int columns, int rows) {
  TerminalBytes bytes;
  columns = std::max(columns, 2);
  if (columns != columns_) bytes.bytes = screen_.resize(columns);
  columns_ = columns;
  rows_ = std::max(rows, 1);
  return bytes;
}

LineEditor::Event LineEditor::handle(const Key& key) {
  if (search_) {
    if (const auto event = search(key)) return *event;
  }
  if (key.kind != Key::Kind::up && key.kind != Key::Kind::down) goal_column_.reset();
  switch (key.kind) {
    case Key::Kind::enter:
      buffer_.move_to(buffer_.text().size());
      return Event::submitted;
    case Key::Kind::interrupt:
      buffer_.move_to(buffer_.text().size());
      return Event::interrupted;
    case Key::Kind::end:
      if (buffer_.text().empty()) return Event::ended;
      buffer_.erase_behind();
      return Event::none;
    case Key::Kind::suspend:
      return Event::suspended;
    default:
      edit(key);
      return Event::none;
  }
}

void LineEditor::edit(const Key& key) {
  switch (key.kind) {
    case Key::Kind::text:
    case Key::Kind::paste:
      return buffer_.insert(key.text);
    case Key::Kind::newline:
      return buffer_.insert("\n");
    case Key::Kind::tab:
      return complete();
    case Key::Kind::backspace:
      return buffer_.erase_before();
    case Key::Kind::erase:
      return buffer_.erase_behind();
    case Key::Kind::erase_word_before:
      return buffer_.kill_word_before();
    case Key::Kind::erase_word_behind:
      return buffer_.kill_word_behind();
    case Key::Kind::kill_line_before:
      return buffer_.kill_line_before();
    case Key::Kind::kill_line_behind:
      return buffer_.kill_line_behind();
    case Key::Kind::yank:
      return buffer_.yank();
    case Key::Kind::transpose:
      return buffer_.transpose();
    case Key::Kind::undo:
      return buffer_.undo();
    case Key::Kind::left:
      buffer_.move_left();
      return;
    case Key::Kind::right:
      buffer_.move_right();
      return;
    case Key::Kind::word_left:
      return buffer_.move_word_left();
    case Key::Kind::word_right:
      return buffer_.move_word_right();
    case Key::Kind::line_start:
      return buffer_.move_to(buffer_.line_start());
    case Key::Kind::line_end:
      return buffer_.move_to(buffer_.line_end());
    case Key::Kind::up:
      return move_rows(-1);
    case Key::Kind::down:
      return move_rows(1);
    case Key::Kind::history_older:
      return go_in_history(-1);
    case Key::Kind::history_newer:
      return go_in_history(1);
    case Key::Kind::history_first:
      if (history_.size() > 0) show_entry(0);
      return;
    case Key::Kind::history_last:
      return show_entry(history_.size());
    case Key::Kind::search:
      search_ = Search{{}, std::nullopt, buffer_};
      return;
    case Key::Kind::clear_screen:
      before_next_ = screen_.clear();
      return;
    default:
      return;
  }
}

// Within the message, then on in the history.
void LineEditor::move_rows(int direction) {
  const EditLayout rows = layout();
  const bool is_first = direction < 0 && rows.cursor_row == 0;
  const bool is_last = direction > 0 && rows.cursor_row + 1 == rows.rows.size();
  if (is_first || is_last) {
    goal_column_.reset();
    return go_in_history(direction);
  }
  if (!goal_column_) goal_column_ = rows.cursor_column;
  const std::size_t row = direction < 0 ? rows.cursor_row - 1 : rows.cursor_row + 1;
  buffer_.move_to(place_at(buffer_.text(), rows, row, *goal_column_));
}

// What was shown for the entry is left.
void LineEditor::keep_edited(const EditBuffer& shown) {
  if (entry_ < history_.size() && shown.text() == history_[entry_]) {
    edited_.erase(entry_);
  } else {
    edited_[entry_] = shown;
  }
}

void LineEditor::show_entry(std::size_t index) {
  keep_edited(buffer_);
  entry_ = index;
  if (const auto edited = edited_.find(index); edited != edited_.end()) {
    buffer_ = edited->second;
  } else {
    buffer_.set(index < history_.size() ? history_[index] : "");
  }
}

void LineEditor::go_in_history(int direction) {
  if (direction < 0 && entry_ > 0) show_entry(entry_ - 1);
  if (direction > 0 && entry_ < history_.size()) show_entry(entry_ + 1);
}

void LineEditor::complete() {
  const std::string_view before = std::string_view(buffer_.text()).substr(0, buffer_.cursor());
  Completions found = complete_ ? complete_(before) : Completions{};
  // A file may have any name; those that no terminal shows are not typed either.
  std::erase_if(found.texts,
                [](const std::string& text) { return printable(text, std::string::npos) != text; });
  // In prose a tab is a tab.
  if (found.texts.empty() && !before.starts_with('/')) return buffer_.insert("\t");
  if (found.texts.empty()) {
    before_next_ += kBell;
    return;
  }
  const std::string common = common_beginning(found.texts);
  const std::string_view typed = before.substr(found.begin);
  if (found.texts.size() == 1 || common.size() > typed.size()) {
    return buffer_.replace_before(found.begin, common);
  }
  before_next_ += screen_.leave(layout(), columns_, rows_) + list_text(found.texts, columns_);
}

// Empty: the key ended the search and means what it does elsewhere.
std::optional<LineEditor::Event> LineEditor::search(const Key& key) {
  const auto find = [&](std::size_t before) {
    const auto found = history_.find_older(search_->text, before);
    if (!found) {
      if (search_->found && before <= *search_->found) return;  // there is no older one: it stays
      search_->found.reset();
      return;
    }
    search_->found = found;
    buffer_.set(history_[*found]);
    const std::size_t at = buffer_.text().find(search_->text);
    buffer_.move_to(at);
  };
  switch (key.kind) {
    case Key::Kind::text:
      search_->text += key.text;
      find(search_->found ? *search_->found + 1 : history_.size());
      return Event::none;
    case Key::Kind::backspace:
      if (!search_->text.empty()) {
        search_->text.erase(search_->text.size() - last_cluster_length(search_->text));
      }
      find(history_.size());
      return Event::none;
    case Key::Kind::search:
      if (!search_->text.empty()) find(search_->found.value_or(history_.size()));
      return Event::none;
    case Key::Kind::cancel:
      buffer_ = search_->before;
      search_.reset();
      return Event::none;
    default:
      if (search_->found) {
        keep_edited(search_->before);
        entry_ = *search_->found;
      }
      search_.reset();
      return std::nullopt;
  }
}

}  // namespace pleiad::terminal
