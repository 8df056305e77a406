#include "sampling/random.h"

#include <random>

namespace pleiad::sampling {

std::uint64_t system_seed() {
  std::random_device device;
  const std::uint64_t high = device();
  return (high << 32 | device()) >> 11;
}

}  // namespace pleiad::sampling
