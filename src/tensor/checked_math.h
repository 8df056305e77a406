#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace pleiad {

/// Arithmetic on numbers that a file claims: nothing where the result does not
/// fit into 64 bits.
constexpr std::optional<std::uint64_t> checked_add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

constexpr std::optional<std::uint64_t> checked_mul(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

/// The number of elements, or nothing where a dimension is below 1 or the
/// product does not fit into a signed 64-bit number. No dimensions: a scalar, 1.
constexpr std::optional<std::uint64_t> checked_element_count(std::span<const std::int64_t> shape) {
  std::uint64_t count = 1;
  for (const std::int64_t dim : shape) {
    if (dim < 1) return std::nullopt;
    const auto product = checked_mul(count, static_cast<std::uint64_t>(dim));
    if (!product || *product > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
    count = *product;
  }
  return count;
}

/// `value` rounded up to a multiple of `alignment`, a power of two.
constexpr std::optional<std::uint64_t> checked_align_up(std::uint64_t value,
                                                        std::uint64_t alignment) {
  const auto raised = checked_add(value, alignment - 1);
  if (!raised) return std::nullopt;
  return *raised & ~(alignment - 1);
}

}  // namespace pleiad
