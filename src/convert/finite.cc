#include "convert/finite.h"

#include <cstring>
#include <limits>
#include <string>

#include "base/error.h"
#include "base/text_format.h"

namespace pleiad::convert {
namespace {

/// The place of the first value whose exponent has all bits set, or the number of values.
template <typename Bits>
std::size_t first_not_finite(std::span<const std::byte> bytes, Bits exponent) {
  const std::size_t count = bytes.size() / sizeof(Bits);
  for (std::size_t i = 0; i < count; ++i) {
    Bits value = 0;
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    if ((value & exponent) == exponent) return i;
  }
  return count;
}

/// The value at `place`, one of those that are not finite, in words.
template <typename Bits>
std::string words(std::span<const std::byte> bytes, std::size_t place, Bits exponent) {
  Bits value = 0;
  std::memcpy(&value, bytes.data() + place * sizeof value, sizeof value);
  constexpr Bits kSign = Bits{1} << (std::numeric_limits<Bits>::digits - 1);
  if ((value & ~kSign) != exponent) return "nan";
  return (value & kSign) != 0 ? "-inf" : "inf";
}

template <typename Bits>
void check(std::string_view tensor, std::span<const std::byte> bytes, Bits exponent,
           std::int64_t first, std::int64_t cols) {
  const std::size_t place = first_not_finite(bytes, exponent);
  if (place == bytes.size() / sizeof(Bits)) return;
  const auto at = static_cast<std::int64_t>(place);
  throw Error("tensor '{}': row {}, column {} is {}, which cannot be stored", printable(tensor),
              (first + at) / cols, (first + at) % cols, words(bytes, place, exponent));
}

}  // namespace

void check_finite(std::string_view tensor, DType type, std::span<const std::byte> bytes,
                  std::int64_t first, std::int64_t cols) {
  if (type == DType::f32) return check<std::uint32_t>(tensor, bytes, 0x7F800000, first, cols);
  if (type == DType::f16) return check<std::uint16_t>(tensor, bytes, 0x7C00, first, cols);
  if (type == DType::bf16) return check<std::uint16_t>(tensor, bytes, 0x7F80, first, cols);
}

}  // namespace pleiad::convert
