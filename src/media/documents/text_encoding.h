#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace pleiad::media {

/// A text file as UTF-8: no control characters but tabs and ends of lines, which are all "\n".
struct DecodedText {
  std::string text;
  std::vector<std::string> warnings;  // what was guessed, replaced or left out
};

/// Reads UTF-8 (with a byte order mark or without), UTF-16 with one, and, where bytes are none of
/// these, Windows-1252 (of which Latin-1 is a part), which a warning tells. A page break is an end
/// of a line; other control characters are left out, which a warning tells too. A Failure where the
/// bytes are no text: they have NULs, or control characters without being UTF-8.
Result<DecodedText> decode_text(std::span<const std::byte> bytes);

/// Whether decode_text() takes it for text, by its first bytes (64 KiB).
bool begins_as_text(std::span<const std::byte> bytes);

/// Text of a program that was told to write UTF-8, cleaned as decode_text() does: what is not
/// UTF-8 becomes U+FFFD. Counts what was left out or replaced.
std::string clean_utf8(std::string_view text, std::size_t& n_controls, std::size_t& n_replaced);

}  // namespace pleiad::media
