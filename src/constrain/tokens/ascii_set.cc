#include "constrain/tokens/ascii_set.h"

#include <array>
#include <bit>

namespace pleiad::constrain {
namespace {

constexpr std::size_t kBytes = kAsciiSymbols / 8;
/// Of each byte of a set, whatever it is.
using KindsByByte = std::array<std::array<KindSet, 256>, kBytes>;

KindsByByte kinds_by_byte() {
  KindsByByte out = {};
  for (std::size_t byte = 0; byte < kBytes; ++byte) {
    for (unsigned bits = 1; bits < out[byte].size(); ++bits) {
      const std::size_t kind =
          kinds_of_ascii()[8 * byte + static_cast<std::size_t>(std::countr_zero(bits))];
      out[byte][bits] = out[byte][bits & (bits - 1)] | (kind == kKinds ? 0 : KindSet{1} << kind);
    }
  }
  return out;
}

}  // namespace

KindSet kinds_in(const AsciiSet& set) {
  static const KindsByByte by_byte = kinds_by_byte();
  KindSet out = 0;
  for (std::size_t byte = 0; byte < kBytes; ++byte) {
    out |= by_byte[byte][set.words[byte / 8] >> (8 * (byte % 8)) & 0xFFU];
  }
  return out;
}

}  // namespace pleiad::constrain
