#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>

#include "text/tags.h"

namespace pleiad::constrain {

/// What an automaton reads: a byte of text, a control token, or the end of the reply.
using Symbol = std::uint16_t;

inline constexpr Symbol kFirstTag = 256;
inline constexpr Symbol kEnd = kFirstTag + static_cast<Symbol>(text::kTagTexts.size());
inline constexpr Symbol kSymbols = kEnd + 1;

using SymbolSet = std::bitset<kSymbols>;

/// Adds a range, its last one too.
inline void add_range(SymbolSet& set, Symbol first, Symbol last) {
  constexpr Symbol kFew = 8;
  if (last - first < kFew) {
    for (std::size_t symbol = first; symbol <= last; ++symbol) set.set(symbol);
  } else {
    set |= ~SymbolSet() >> (kSymbols - 1U - (last - first)) << first;
  }
}

constexpr Symbol symbol_of(text::Tag tag) {
  return static_cast<Symbol>(kFirstTag + static_cast<Symbol>(tag));
}
constexpr Symbol symbol_of(char c) { return static_cast<unsigned char>(c); }

}  // namespace pleiad::constrain
