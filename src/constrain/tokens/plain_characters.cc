#include "constrain/tokens/plain_characters.h"

#include <algorithm>
#include <array>

namespace pleiad::constrain {
namespace {

constexpr std::array<std::string_view, kKinds - 1> kAscii = {"abcdefghijklmnopqrstuvwxyz",
                                                             "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
                                                             "0123456789",
                                                             " ",
                                                             "!",
                                                             "#",
                                                             "$",
                                                             "%",
                                                             "&",
                                                             "'",
                                                             "(",
                                                             ")",
                                                             "*",
                                                             "+",
                                                             ",",
                                                             "-",
                                                             ".",
                                                             "/",
                                                             ":",
                                                             ";",
                                                             "<>",
                                                             "=",
                                                             "?",
                                                             "@",
                                                             "[]",
                                                             "_",
                                                             "{",
                                                             "}",
                                                             "^`|~"};

constexpr std::array<std::uint8_t, kAsciiSymbols> ascii_by_kind() {
  std::array<std::uint8_t, kAsciiSymbols> out = {};
  for (std::uint8_t& kind : out) kind = kKinds;
  for (std::size_t kind = 0; kind < kAscii.size(); ++kind) {
    for (const char c : kAscii[kind]) {
      out[static_cast<std::size_t>(c)] = static_cast<std::uint8_t>(kind);
    }
  }
  return out;
}

bool begins_with(std::span<const Symbol> text, const std::vector<SymbolRange>& spelling) {
  if (text.size() < spelling.size()) return false;
  for (std::size_t i = 0; i < spelling.size(); ++i) {
    if (text[i] < spelling[i].first || text[i] > spelling[i].last) return false;
  }
  return true;
}

}  // namespace

std::string_view ascii_of(std::size_t kind) {
  return kind < kAscii.size() ? kAscii[kind] : std::string_view();
}

const std::vector<std::vector<SymbolRange>>& long_spellings() {
  // Between: what \s means in ECMAScript, and control characters.
  static const auto spelled = spellings(Syntax::call, {{0xA1, 0x167F},
                                                       {0x1681, 0x1FFF},
                                                       {0x200B, 0x2027},
                                                       {0x202A, 0x202E},
                                                       {0x2030, 0x205E},
                                                       {0x2060, 0x2FFF},
                                                       {0x3001, 0xFEFE},
                                                       {0xFF00, 0x10FFFF}});
  return spelled;
}

const std::array<std::uint8_t, kAsciiSymbols>& kinds_of_ascii() {
  static constexpr auto kKindOf = ascii_by_kind();
  return kKindOf;
}

std::optional<PlainCharacter> plain_character_of(std::span<const Symbol> text) {
  if (text.empty()) return std::nullopt;
  if (text.front() < kAsciiSymbols) {
    const std::size_t kind = kinds_of_ascii()[text.front()];
    if (kind == kKinds) return std::nullopt;
    return PlainCharacter{kind, 1};
  }
  const auto& all = long_spellings();
  const auto found = std::ranges::find_if(
      all, [&](const std::vector<SymbolRange>& spelling) { return begins_with(text, spelling); });
  if (found == all.end()) return std::nullopt;
  return PlainCharacter{kLongKind, found->size()};
}

}  // namespace pleiad::constrain
