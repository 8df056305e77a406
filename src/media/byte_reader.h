#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace pleiad::media {

// Numbers out of bytes from outside. What lies behind the end reads as zero, so that callers check
// what the numbers say and not where each of them lies.

inline std::uint32_t read_u8(std::span<const std::byte> bytes, std::uint64_t at) {
  return at < bytes.size() ? std::to_integer<std::uint32_t>(bytes[at]) : 0;
}

inline std::uint32_t read_u16_little(std::span<const std::byte> bytes, std::uint64_t at) {
  return read_u8(bytes, at) | read_u8(bytes, at + 1) << 8;
}

inline std::uint32_t read_u16_big(std::span<const std::byte> bytes, std::uint64_t at) {
  return read_u8(bytes, at) << 8 | read_u8(bytes, at + 1);
}

inline std::uint32_t read_u32_little(std::span<const std::byte> bytes, std::uint64_t at) {
  return read_u16_little(bytes, at) | read_u16_little(bytes, at + 2) << 16;
}

inline std::uint32_t read_u32_big(std::span<const std::byte> bytes, std::uint64_t at) {
  return read_u16_big(bytes, at) << 16 | read_u16_big(bytes, at + 2);
}

/// Whether these characters stand there.
inline bool begins_with(std::span<const std::byte> bytes, std::string_view magic,
                        std::size_t at = 0) {
  return bytes.size() >= magic.size() && at <= bytes.size() - magic.size() &&
         std::equal(magic.begin(), magic.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at),
                    [](char expected, std::byte found) {
                      return static_cast<std::byte>(expected) == found;
                    });
}

}  // namespace pleiad::media
