#pragma once

#include <array>
#include <cstddef>

#include "constrain/tokens/ascii_set.h"

namespace pleiad::constrain {

/// How a text ends that begins somewhere: of its last symbols, the last one first, what each may
/// be. A text may be shorter where the symbol before it may be none.
struct TextEnding {
  static constexpr std::size_t kSymbols = 6;

  struct One {
    AsciiSet ascii;
    bool is_beyond_ascii = false;  // it may be
    bool is_none = false;          // so may this
  };

  static constexpr One any() { return {AsciiSet::of_range(0, kAsciiSymbols - 1), true, true}; }

  std::array<One, kSymbols> last;
};

}  // namespace pleiad::constrain
