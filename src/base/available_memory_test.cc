#include "base/available_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace pleiad {
namespace {

TEST(AvailableMemoryHere, IsSome) {
  EXPECT_GT(available_memory(), 0U);
  EXPECT_LT(available_memory(), std::numeric_limits<std::uint64_t>::max());
}

}  // namespace
}  // namespace pleiad
