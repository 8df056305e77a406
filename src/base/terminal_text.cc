#include "base/terminal_text.h"

#include <fmt/format.h>

#include "base/utf8.h"

namespace pleiad {
namespace {

/// Of characters of two bytes and more, and of DEL.
bool is_obeyed(char32_t character) {
  return (character >= 0x7F && character <= 0x9F) || (character >= 0x2028 && character <= 0x202E) ||
         (character >= 0x2066 && character <= 0x2069);
}

/// Moves what `text` begins with to `out`, character by character. What may be the beginning of
/// something stays, unless the text is `complete`.
void take_terminal_text(std::string_view& text, std::string& out, bool complete) {
  while (!text.empty()) {
    if (!complete && (text == "\r" || utf8_is_incomplete(text))) return;
    const bool ends_line = text.starts_with("\r\n");
    const TerminalCharacter character = first_terminal_character(text);
    const std::size_t length = ends_line ? 2 : character.length;
    const bool stays = ends_line || character.is_safe || text[0] == '\n' || text[0] == '\t';
    out += stays ? text.substr(0, length) : std::string_view(character.shown);
    text.remove_prefix(length);
  }
}

}  // namespace

TerminalCharacter first_terminal_character(std::string_view text) {
  const std::size_t length = utf8_length(text);
  const auto byte = static_cast<unsigned char>(text[0]);
  if (length == 0 || byte < 0x20) return {1, false, fmt::format("\\x{:02x}", byte)};
  if (length == 1 && byte != 0x7F) return {1, true, {}};
  const char32_t character = utf8_code_point(text.substr(0, length));
  if (!is_obeyed(character)) return {length, true, {}};
  return {length, false, fmt::format("\\u{:04x}", static_cast<unsigned>(character))};
}

std::string terminal_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  take_terminal_text(text, out, true);
  return out;
}

std::string TerminalTextStream::push(std::string_view piece) {
  std::string out;
  pending_ += piece;
  std::string_view rest = pending_;
  take_terminal_text(rest, out, false);
  pending_.erase(0, pending_.size() - rest.size());
  return out;
}

std::string TerminalTextStream::finish() {
  std::string out = terminal_text(pending_);
  pending_.clear();
  return out;
}

}  // namespace pleiad
