#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

// Little-endian numbers of a file of saved logits.
namespace pleiad::eval {

inline constexpr char kSavedLogitsMagic[] = {'P', 'L', 'E', 'I', 'A', 'D', 'L', 'P'};
inline constexpr std::uint32_t kSavedLogitsVersion = 2;

// Negative log-probabilities of kept tokens: 24 bits, 2^-19 apart, below 32.
inline constexpr double kCodesPerNat = 524288.0;
inline constexpr double kMostNats = 32.0;
inline constexpr std::uint32_t kMaxCode = (1U << 24) - 1;

class ByteWriter {
 public:
  explicit ByteWriter(std::vector<std::byte>& out) : out_(out) {}

  template <typename T>
  void number(T value, std::size_t n_bytes = sizeof(T)) {
    auto bits = static_cast<std::uint64_t>(value);
    for (std::size_t i = 0; i < n_bytes; ++i, bits >>= 8) {
      out_.push_back(static_cast<std::byte>(bits & 0xFF));
    }
  }
  void f32(float value) { number(std::bit_cast<std::uint32_t>(value)); }
  void f64(double value) { number(std::bit_cast<std::uint64_t>(value)); }
  /// Seven bits a byte, the low ones first.
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_.push_back(static_cast<std::byte>(value | 0x80));
    out_.push_back(static_cast<std::byte>(value));
  }

 private:
  std::vector<std::byte>& out_;
};

class ByteReader {
 public:
  ByteReader(std::span<const std::byte> bytes, std::size_t& at, const std::string& source)
      : bytes_(bytes), at_(at), source_(source) {}

  std::size_t left() const { return bytes_.size() - at_; }
  [[noreturn]] void fail(const std::string& what) const {
    throw LoadError("{}: damaged at byte {}: {}", source_, at_, what);
  }
  void need(std::size_t n) const {
    if (left() < n) fail("the file ends in the middle of a row");
  }
  std::uint64_t number(std::size_t n_bytes) {
    need(n_bytes);
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < n_bytes; ++i) {
      value |= static_cast<std::uint64_t>(bytes_[at_ + i]) << (8 * i);
    }
    at_ += n_bytes;
    return value;
  }
  float f32() { return std::bit_cast<float>(static_cast<std::uint32_t>(number(4))); }
  double f64() { return std::bit_cast<double>(number(8)); }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
      const std::uint64_t byte = number(1);
      value |= (byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    fail("a number is too long");
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t& at_;
  const std::string& source_;
};

}  // namespace pleiad::eval
