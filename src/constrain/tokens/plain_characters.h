#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "constrain/symbol.h"
#include "constrain/texts/characters.h"

namespace pleiad::constrain {

/// Kinds of plain characters: those that a string of JSON holds as they are, without the few that
/// patterns set apart (blanks and line ends beyond ASCII). Forms seldom tell characters of one kind
/// apart: letters, digits, a mark, all that is not ASCII. A bit each.
using KindSet = std::uint32_t;

inline constexpr std::size_t kKinds = 30;
inline constexpr std::size_t kSmallLetterKind = 0;
inline constexpr std::size_t kCapitalLetterKind = 1;
inline constexpr std::size_t kBlankKind = 3;
inline constexpr std::size_t kLongKind = kKinds - 1;  // beyond ASCII
inline constexpr KindSet kAllKinds = (KindSet{1} << kKinds) - 1;
/// Beside them in a KindSet: something else than plain characters, or a part of one.
inline constexpr KindSet kNotPlain = KindSet{1} << kKinds;

/// The characters of a kind; empty for kLongKind.
std::string_view ascii_of(std::size_t kind);
/// The ways to spell characters of kLongKind.
const std::vector<std::vector<SymbolRange>>& long_spellings();

inline constexpr std::size_t kAsciiSymbols = 0x80;
/// The kind of each character of ASCII; kKinds where it is not plain.
const std::array<std::uint8_t, kAsciiSymbols>& kinds_of_ascii();

struct PlainCharacter {
  std::size_t kind = 0;
  std::size_t n_bytes = 0;
};
/// The character that `text` begins with; nothing where that is no plain one.
std::optional<PlainCharacter> plain_character_of(std::span<const Symbol> text);

}  // namespace pleiad::constrain
