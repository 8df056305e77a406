#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pleiad {

/// Length in bytes of the well-formed UTF-8 character at the start of `text`
/// (1 to 4), or 0 where the bytes are not well-formed or cut off (no overlong
/// forms, no surrogates, nothing above U+10FFFF: Unicode 15, table 3-7).
constexpr std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const auto continues = [&](std::size_t i, std::uint8_t low = 0x80, std::uint8_t high = 0xBF) {
    return i < text.size() && byte(i) >= low && byte(i) <= high;
  };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return continues(1) ? 2 : 0;
  if (lead == 0xE0) return continues(1, 0xA0) && continues(2) ? 3 : 0;
  if (lead == 0xED) return continues(1, 0x80, 0x9F) && continues(2) ? 3 : 0;
  if (lead >= 0xE1 && lead <= 0xEF) return continues(1) && continues(2) ? 3 : 0;
  if (lead == 0xF0) return continues(1, 0x90) && continues(2) && continues(3) ? 4 : 0;
  if (lead >= 0xF1 && lead <= 0xF3) return continues(1) && continues(2) && continues(3) ? 4 : 0;
  if (lead == 0xF4) return continues(1, 0x80, 0x8F) && continues(2) && continues(3) ? 4 : 0;
  return 0;
}

/// The characters that begin in a text: a piece that begins within one does not count it, so that
/// pieces add up to the whole. A byte that continues nothing counts for none.
constexpr std::size_t utf8_count(std::string_view text) {
  std::size_t n = 0;
  for (const char c : text) n += (static_cast<std::uint8_t>(c) & 0xC0) != 0x80;
  return n;
}

/// The number of the character at the start of `text` (not empty); of its first byte where that
/// begins no well-formed character.
constexpr char32_t utf8_code_point(std::string_view text) {
  const std::size_t length = utf8_length(text);
  const auto lead = static_cast<std::uint8_t>(text[0]);
  if (length <= 1) return lead;
  char32_t character = lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    character = character << 6 | (static_cast<std::uint8_t>(text[i]) & 0x3Fu);
  }
  return character;
}

/// True when `text` (not empty) could still become a well-formed character if
/// more bytes followed: a proper prefix of one.
constexpr bool utf8_is_incomplete(std::string_view text) {
  if (text.empty() || text.size() > 3 || utf8_length(text) != 0) return false;
  const auto lead = static_cast<std::uint8_t>(text[0]);
  const std::size_t wanted = lead >= 0xF0 && lead <= 0xF4   ? 4
                             : lead >= 0xE0 && lead <= 0xEF ? 3
                             : lead >= 0xC2 && lead <= 0xDF ? 2
                                                            : 0;
  if (text.size() >= wanted) return false;
  if (text.size() == 1) return true;
  const auto second = static_cast<std::uint8_t>(text[1]);
  const std::uint8_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const std::uint8_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (second < low || second > high) return false;
  if (text.size() == 2) return true;
  const auto third = static_cast<std::uint8_t>(text[2]);
  return third >= 0x80 && third <= 0xBF;
}

/// How many bytes at the end of a text are a proper prefix of a character: 0 to 3.
constexpr std::size_t utf8_unfinished(std::string_view text) {
  for (std::size_t n = text.size() < 3 ? text.size() : 3; n > 0; --n) {
    if (utf8_is_incomplete(text.substr(text.size() - n))) return n;
  }
  return 0;
}

}  // namespace pleiad
