#include "terminal/editor/key_reader.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"

namespace pleiad::terminal {
namespace {

using Kind = Key::Kind;

constexpr char kEscape = '\x1b';
constexpr std::string_view kPasteBegin = "\x1b[200~";
constexpr std::string_view kPasteEnd = "\x1b[201~";

Kind of_control(char c) {
  switch (c) {
    case 'A' - '@':
      return Kind::line_start;
    case 'B' - '@':
      return Kind::left;
    case 'C' - '@':
      return Kind::interrupt;
    case 'D' - '@':
      return Kind::end;
    case 'E' - '@':
      return Kind::line_end;
    case 'F' - '@':
      return Kind::right;
    case 'G' - '@':
      return Kind::cancel;
    case 'H' - '@':
    case '\x7f':
      return Kind::backspace;
    case '\t':
      return Kind::tab;
    case '\n':
      return Kind::newline;
    case 'K' - '@':
      return Kind::kill_line_behind;
    case 'L' - '@':
      return Kind::clear_screen;
    case '\r':
      return Kind::enter;
    case 'N' - '@':
      return Kind::history_newer;
    case 'P' - '@':
      return Kind::history_older;
    case 'R' - '@':
      return Kind::search;
    case 'T' - '@':
      return Kind::transpose;
    case 'U' - '@':
      return Kind::kill_line_before;
    case 'W' - '@':
      return Kind::erase_word_before;
    case 'Y' - '@':
      return Kind::yank;
    case 'Z' - '@':
      return Kind::suspend;
    case '_' - '@':
      return Kind::undo;
    default:
      return Kind::unknown;
  }
}

/// Behind Escape: with Alt.
Kind of_alt(char c) {
  switch (c) {
    case '\r':
    case '\n':
      return Kind::newline;
    case 'b':
      return Kind::word_left;
    case 'f':
      return Kind::word_right;
    case 'd':
      return Kind::erase_word_behind;
    case '\x7f':
    case 'H' - '@':
      return Kind::erase_word_before;
    case '<':
      return Kind::history_first;
    case '>':
      return Kind::history_last;
    default:
      return Kind::unknown;
  }
}

/// Of the last byte of a sequence for cursor keys.
Kind of_cursor(char last, bool with_modifier) {
  switch (last) {
    case 'A':
      return Kind::up;
    case 'B':
      return Kind::down;
    case 'C':
      return with_modifier ? Kind::word_right : Kind::right;
    case 'D':
      return with_modifier ? Kind::word_left : Kind::left;
    case 'H':
      return Kind::line_start;
    case 'F':
      return Kind::line_end;
    case 'M':
      return Kind::enter;  // of a keypad, as SS3 M
    default:
      return Kind::unknown;
  }
}

/// ESC [ PARAMETERS LAST
Kind of_sequence(std::string_view parameters, char last) {
  if (last == '~') {
    if (parameters == "1" || parameters == "7") return Kind::line_start;
    if (parameters == "4" || parameters == "8") return Kind::line_end;
    if (parameters == "3") return Kind::erase;
    if (parameters.starts_with("3;")) return Kind::erase_word_behind;
    // Enter with Shift, Alt or Ctrl, of terminals that tell it (modifyOtherKeys).
    if (parameters.starts_with("27;") && parameters.ends_with(";13")) return Kind::newline;
    return Kind::unknown;
  }
  // The same of others: CSI 13 ; MODIFIER u.
  if (last == 'u') return parameters.starts_with("13;") ? Kind::newline : Kind::unknown;
  if (last == 'M') return Kind::unknown;
  return of_cursor(last, parameters.find(';') != std::string_view::npos);
}

/// How many bytes at the end of a text are the beginning of a mark.
std::size_t begun(std::string_view text, std::string_view mark) {
  std::size_t n = std::min(text.size(), mark.size() - 1);
  while (!text.ends_with(mark.substr(0, n))) --n;
  return n;
}

/// What of a pasted text can be given out before the rest of it is there.
std::size_t whole_part(std::string_view text) {
  if (text.ends_with('\r')) return text.size() - 1;  // \n may follow
  return text.size() - utf8_unfinished(text);
}

/// A pasted text as it is kept: lines that end with \n, well-formed.
std::string clean(std::string_view text) {
  std::string cleaned;
  cleaned.reserve(text.size());
  while (!text.empty()) {
    std::size_t length = utf8_length(text);
    if (text[0] == '\r') {
      cleaned += '\n';
      length = text.starts_with("\r\n") ? 2 : 1;
    } else if (length == 0) {
      cleaned += "\uFFFD";
      length = 1;
    } else {
      cleaned += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return cleaned;
}

}  // namespace

TerminalBytes mark_pastes(bool on) { return {on ? "\x1b[?2004h" : "\x1b[?2004l"}; }

void KeyReader::push(std::string_view bytes) {
  if (bytes.empty()) return;
  was_silent_ = gives_up_;
  gives_up_ = false;
  // A mark that was torn behind its Escape, which has become a key.
  const bool is_mark = lone_escape_ && pending_.empty() && bytes.starts_with(kPasteBegin.substr(1));
  lone_escape_ = false;
  if (is_mark) pending_ += kEscape;
  const bool is_ctrl_c = bytes.find_first_not_of('\x03') == std::string_view::npos;
  if (in_paste_ && was_silent_ && is_ctrl_c) {
    in_paste_ = false;
    pasted_.clear();
    pending_.clear();
  }
  pending_ += bytes;
}

bool KeyReader::in_sequence() const {
  return pending_.size() > 1 && pending_[0] == kEscape && late_ == 0 && !in_paste_;
}

void KeyReader::stop_waiting() { gives_up_ = true; }

Key KeyReader::take(std::size_t length, Kind kind) {
  taken_ += length;
  return {kind, {}};
}

std::optional<Key> KeyReader::next() {
  std::optional<Key> key;
  if (in_paste_) {
    key = next_in_paste();
  } else if (taken_ < pending_.size()) {
    const char c = pending_[taken_];
    if (c == kEscape) {
      key = next_sequence();
    } else if (static_cast<unsigned char>(c) < 0x20 || c == '\x7f') {
      key = take(1, of_control(c));
    } else {
      key = next_text();
    }
  }
  if (!key || taken_ == pending_.size()) {
    pending_.erase(0, taken_);
    taken_ = 0;
  }
  return key;
}

std::optional<Key> KeyReader::next_in_paste() {
  const std::string_view rest = std::string_view(pending_).substr(taken_);
  const std::size_t end = rest.find(kPasteEnd);
  if (end != std::string_view::npos) {
    pasted_ += rest.substr(0, end);
    taken_ += end + kPasteEnd.size();
    in_paste_ = false;
    return Key{Kind::paste, clean(std::exchange(pasted_, {}))};
  }
  // All but what may be the beginning of its end.
  const std::size_t n = rest.size() - begun(rest, kPasteEnd);
  pasted_ += rest.substr(0, n);
  taken_ += n;
  const std::size_t whole = gives_up_ ? whole_part(pasted_) : 0;
  if (whole == 0) return std::nullopt;
  std::string shown = clean(std::string_view(pasted_).substr(0, whole));
  pasted_.erase(0, whole);
  return Key{Kind::paste, std::move(shown)};
}

std::optional<Key> KeyReader::next_sequence() {
  const std::string_view rest = std::string_view(pending_).substr(taken_);
  if (rest.size() == 1) {
    lone_escape_ = gives_up_;
    return gives_up_ ? std::optional(take(1, Kind::cancel)) : std::nullopt;
  }
  if (kPasteBegin.starts_with(rest) && rest != kPasteBegin) {
    if (gives_up_) late_ = rest.size();
    return std::nullopt;
  }
  if (const std::size_t late = std::exchange(late_, 0);
      late > 0 && !rest.starts_with(kPasteBegin)) {
    return take(late, Kind::unknown);
  }
  if (rest[1] == 'O') {  // SS3
    if (rest.size() > 2) return take(3, of_cursor(rest[2], false));
    return gives_up_ ? std::optional(take(2, Kind::unknown)) : std::nullopt;
  }
  // Before another sequence, or a character of several bytes, which counts.
  if (rest[1] == kEscape || static_cast<unsigned char>(rest[1]) >= 0x80) {
    return take(1, Kind::cancel);
  }
  if (rest[1] != '[') return take(2, of_alt(rest[1]));
  constexpr std::size_t kLongest = 32;
  std::size_t end = 2;
  while (end < rest.size() && rest[end] >= 0x20 && rest[end] <= 0x3F && end < kLongest) ++end;
  if (end == rest.size() && end < kLongest) {
    return gives_up_ ? std::optional(take(end, Kind::unknown)) : std::nullopt;
  }
  // The Linux console's function keys: ESC [ [ A.
  if (rest[end] == '[' && end == 2) {
    if (rest.size() > 3) return take(4, Kind::unknown);
    return gives_up_ ? std::optional(take(3, Kind::unknown)) : std::nullopt;
  }
  const bool is_sequence = rest[end] >= 0x40 && rest[end] <= 0x7E;
  const std::string_view parameters = rest.substr(2, end - 2);
  if (!is_sequence) return take(end, Kind::unknown);
  if (rest[end] == '~' && parameters == "200") {
    taken_ += end + 1;
    in_paste_ = true;
    return next_in_paste();
  }
  return take(end + 1, of_sequence(parameters, rest[end]));
}

std::optional<Key> KeyReader::next_text() {
  const std::string_view rest = std::string_view(pending_).substr(taken_);
  Key key = {Kind::text, {}};
  std::size_t end = 0;
  while (end < rest.size()) {
    const std::string_view left = rest.substr(end);
    const auto byte = static_cast<unsigned char>(left[0]);
    if (byte < 0x20 || byte == 0x7F) break;
    const std::size_t length = utf8_length(left);
    if (length == 0 && utf8_is_incomplete(left) && !gives_up_) break;
    key.text += length == 0 ? std::string_view("\uFFFD") : left.substr(0, length);
    end += std::max<std::size_t>(length, 1);
  }
  if (end == 0) return std::nullopt;
  taken_ += end;
  return key;
}

}  // namespace pleiad::terminal
