#pragma once

#include <cstddef>
#include <cstdint>

#include "constrain/tokens/plain_characters.h"

namespace pleiad::constrain {

/// Characters of ASCII, a bit each.
struct AsciiSet {
  static constexpr std::size_t kWords = 2;

  std::uint64_t words[kWords] = {};

  /// first <= last; what is beyond ASCII is left out.
  static constexpr AsciiSet of_range(Symbol first, Symbol last) {
    AsciiSet out;
    for (std::size_t word = 0; word < kWords; ++word) {
      const std::size_t begin = 64 * word;
      if (last < begin || first >= begin + 64) continue;
      out.words[word] = ~std::uint64_t{0};
      if (first > begin) out.words[word] &= ~std::uint64_t{0} << (first - begin);
      if (last < begin + 63) out.words[word] &= ~std::uint64_t{0} >> (begin + 63 - last);
    }
    return out;
  }

  constexpr AsciiSet without(const AsciiSet& other) const {
    return {{words[0] & ~other.words[0], words[1] & ~other.words[1]}};
  }
  constexpr void add(const AsciiSet& other) {
    words[0] |= other.words[0];
    words[1] |= other.words[1];
  }
};

/// The kinds of which a plain character is in the set.
KindSet kinds_in(const AsciiSet& set);

}  // namespace pleiad::constrain
