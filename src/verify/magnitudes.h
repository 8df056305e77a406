#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

namespace pleiad::verify {

/// How large things are, by powers of two: enough to tell a thousandfold from a few times.
class Magnitudes {
 public:
  /// Zeros and what is not finite are left out.
  void note(float value) {
    if (value == 0 || !std::isfinite(value)) return;
    ++counts_[std::bit_cast<std::uint32_t>(value) >> 23 & 0xFFU];
    ++n_;
  }
  void add(const Magnitudes& other) {
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
    n_ += other.n_;
  }
  std::uint64_t n() const { return n_; }

  /// The power of two right above the median; nothing where there are none.
  std::optional<double> median() const {
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      below += counts_[i];
      if (2 * below > n_) return std::ldexp(1.0, static_cast<int>(i) - 126);
    }
    return std::nullopt;
  }

 private:
  std::array<std::uint64_t, 256> counts_ = {};  // by the exponent's bits
  std::uint64_t n_ = 0;
};

}  // namespace pleiad::verify
