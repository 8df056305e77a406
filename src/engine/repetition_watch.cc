#include "engine/repetition_watch.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "text/stream_decoder.h"
#include "text/unicode.h"

namespace pleiad {
namespace {

/// Values of data, which are as numbers are there.
bool is_literal(std::string_view text) {
  constexpr std::array<std::string_view, 6> kLiterals = {"true", "false", "null",
                                                         "True", "False", "None"};
  return std::ranges::find(kLiterals, text) != kLiterals.end();
}

struct Range {
  char32_t first, last;
};

// Beyond ASCII, what is mostly marks, symbols and drawings: all else is taken for letters.
constexpr std::array<Range, 14> kNoLetters = {{{0x80, 0xA9},
                                               {0xAB, 0xB4},
                                               {0xB6, 0xB9},
                                               {0xBB, 0xBF},
                                               {0xD7, 0xD7},
                                               {0xF7, 0xF7},
                                               {0x2000, 0x2BFF},
                                               {0x2E00, 0x2E7F},
                                               {0x3000, 0x3004},
                                               {0x3007, 0x303F},
                                               {0xE000, 0xF8FF},
                                               {0xFE00, 0xFE6F},
                                               {0xFF00, 0xFF20},
                                               {0x1F000, 0x1FAFF}}};

/// Of a character that a token has a part of, its first byte says what it may be.
bool begins_letter(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0xC2 || lead > 0xF4) return false;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (text.size() < length) return lead != 0xC2 && lead != 0xE2 && lead != 0xF0;
  const char32_t character = text::first_character(text);
  return std::ranges::none_of(kNoLetters, [character](const Range& range) {
    return character >= range.first && character <= range.last;
  });
}

}  // namespace

sampling::RepetitionGuard::Kind kind_for_repetition(const text::Vocabulary& vocabulary,
                                                    text::TokenId token) {
  using Kind = sampling::RepetitionGuard::Kind;
  std::string bytes;
  text::append_piece_bytes(vocabulary, token, bytes);
  if (bytes.empty()) return Kind::others;
  if (bytes.find_first_not_of(" \t\n\v\f\r") == std::string::npos) return Kind::blank;
  if (is_literal(text::strip(bytes))) return Kind::others;
  int n_letters = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    if (byte >= 0x80) {
      if (begins_letter(std::string_view(bytes).substr(i))) return Kind::word;
      continue;
    }
    n_letters += (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ? 1 : 0;
  }
  return n_letters >= 2 ? Kind::word : Kind::others;
}

bool RepetitionWatch::push(text::TokenId token) {
  return guard_.push(token, kind_for_repetition(*vocabulary_, token));
}

}  // namespace pleiad
