#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace pleiad::sampling {

/// Random numbers that are the same for a seed on every machine and with every
/// standard library: xoshiro256++ (Blackman and Vigna), its state filled by
/// splitmix64 so that neighbouring seeds share nothing.
class Random {
 public:
  using State = std::array<std::uint64_t, 4>;

  explicit constexpr Random(std::uint64_t seed) {
    for (std::uint64_t& word : state_) {
      seed += 0x9E3779B97F4A7C15;
      std::uint64_t mixed = seed;
      mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
      mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
      word = mixed ^ (mixed >> 31);
    }
  }
  explicit constexpr Random(const State& state) : state_(state) {}

  constexpr std::uint64_t next() {
    auto& [a, b, c, d] = state_;
    const std::uint64_t result = std::rotl(a + d, 23) + a;
    const std::uint64_t shifted = b << 17;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = std::rotl(d, 45);
    return result;
  }

  /// In [0, 1): the 53 high bits, so that each value is exact.
  constexpr double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  State state_{};
};

/// A seed that nobody can foresee, below 2^53 so that it survives as a JSON number.
std::uint64_t system_seed();

}  // namespace pleiad::sampling
