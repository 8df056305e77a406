#include "terminal/editor/edit_buffer.h"

#include <algorithm>
#include <utility>

#include "terminal/display_width.h"

namespace pleiad::terminal {
namespace {

/// Letters and digits; all that is not ASCII is one of them.
bool is_word_char(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

void EditBuffer::set(std::string text) {
  text_ = std::move(text);
  cursor_ = text_.size();
  undo_.clear();
  last_change_ = Change::none;
}

// A text that is typed, or killed, in one go is one change.
void EditBuffer::remember(Change change) {
  // What is kept to return to is bounded: fewer copies of a long text.
  constexpr std::size_t kMostBytes = 8 << 20;
  const std::size_t most = std::clamp<std::size_t>(kMostBytes / (text_.size() + 1), 1, 100);
  const bool goes_on =
      change == last_change_ && change != Change::other && cursor_ == changed_at_ && !undo_.empty();
  if (!goes_on) {
    if (undo_.size() >= most) {
      undo_.erase(undo_.begin(), undo_.end() - static_cast<long>(most - 1));
    }
    undo_.push_back({text_, cursor_});
    if (change == Change::killed) killed_.clear();
  }
  last_change_ = change;
}

void EditBuffer::undo() {
  if (undo_.empty()) return;
  text_ = std::move(undo_.back().text);
  cursor_ = undo_.back().cursor;
  undo_.pop_back();
  last_change_ = Change::none;
}

void EditBuffer::insert(std::string_view text) {
  if (text.empty()) return;
  const bool is_typed = text.size() <= 4 && text != "\n";
  remember(is_typed ? Change::typed : Change::other);
  text_.insert(cursor_, text);
  cursor_ += text.size();
  changed_at_ = cursor_;
}

void EditBuffer::replace_before(std::size_t from, std::string_view text) {
  remember(Change::other);
  text_.replace(from, cursor_ - from, text);
  cursor_ = from + text.size();
}

void EditBuffer::erase_before() {
  if (cursor_ == 0) return;
  remember(Change::other);
  const std::size_t length = last_cluster_length(std::string_view(text_).substr(0, cursor_));
  cursor_ -= length;
  text_.erase(cursor_, length);
}

void EditBuffer::erase_behind() {
  if (cursor_ == text_.size()) return;
  remember(Change::other);
  text_.erase(cursor_, cluster_length(std::string_view(text_).substr(cursor_)));
}

void EditBuffer::kill(std::size_t first, std::size_t last) {
  if (first == last) return;
  remember(Change::killed);
  const std::string taken = text_.substr(first, last - first);
  killed_ = first < cursor_ ? taken + killed_ : killed_ + taken;
  text_.erase(first, last - first);
  cursor_ = first;
  changed_at_ = cursor_;
}

void EditBuffer::kill_word_before() { kill(word_start(), cursor_); }
void EditBuffer::kill_word_behind() { kill(cursor_, word_end()); }

// At the start or the end of a line: the end of line itself.
void EditBuffer::kill_line_before() {
  const std::size_t start = line_start();
  kill(start == cursor_ && start > 0 ? start - 1 : start, cursor_);
}

void EditBuffer::kill_line_behind() {
  const std::size_t end = line_end();
  kill(cursor_, end == cursor_ && end < text_.size() ? end + 1 : end);
}

void EditBuffer::yank() {
  if (killed_.empty()) return;
  remember(Change::other);
  text_.insert(cursor_, killed_);
  cursor_ += killed_.size();
}

void EditBuffer::transpose() {
  std::size_t at = cursor_;
  if (at == line_end() && at > line_start()) {
    at -= last_cluster_length(std::string_view(text_).substr(0, at));
  }
  if (at == line_start()) return;
  const std::size_t before = last_cluster_length(std::string_view(text_).substr(0, at));
  const std::size_t behind = cluster_length(std::string_view(text_).substr(at));
  remember(Change::other);
  std::rotate(text_.begin() + static_cast<long>(at - before), text_.begin() + static_cast<long>(at),
              text_.begin() + static_cast<long>(at + behind));
  cursor_ = at + behind;
}

bool EditBuffer::move_left() {
  if (cursor_ == 0) return false;
  cursor_ -= last_cluster_length(std::string_view(text_).substr(0, cursor_));
  return true;
}

bool EditBuffer::move_right() {
  if (cursor_ == text_.size()) return false;
  cursor_ += cluster_length(std::string_view(text_).substr(cursor_));
  return true;
}

std::size_t EditBuffer::word_start() const {
  std::size_t at = cursor_;
  while (at > 0 && !is_word_char(text_[at - 1])) --at;
  while (at > 0 && is_word_char(text_[at - 1])) --at;
  return at;
}

std::size_t EditBuffer::word_end() const {
  std::size_t at = cursor_;
  while (at < text_.size() && !is_word_char(text_[at])) ++at;
  while (at < text_.size() && is_word_char(text_[at])) ++at;
  return at;
}

void EditBuffer::move_word_left() { cursor_ = word_start(); }
void EditBuffer::move_word_right() { cursor_ = word_end(); }

std::size_t EditBuffer::line_start() const {
  const std::size_t end = cursor_ == 0 ? std::string::npos : text_.rfind('\n', cursor_ - 1);
  return end == std::string::npos ? 0 : end + 1;
}

std::size_t EditBuffer::line_end() const {
  return std::min(text_.find('\n', cursor_), text_.size());
}

}  // namespace pleiad::terminal
