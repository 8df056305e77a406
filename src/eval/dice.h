#pragma once

#include <cstdint>
#include <random>

namespace pleiad::eval {

/// Uniform numbers that are the same everywhere; the standard's distributions are not.
class Dice {
 public:
  explicit Dice(std::uint32_t seed) : engine_(seed) { engine_.discard(8); }
  double between(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_() - engine_.min()) /
                                 static_cast<double>(engine_.max() - engine_.min()));
  }

 private:
  std::minstd_rand engine_;
};

}  // namespace pleiad::eval
