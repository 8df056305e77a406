#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "base/free_space.h"

namespace pleiad {
namespace {

TEST(CheckFreeSpace, DoesNotMindWhatTakesNone) {
  EXPECT_NO_THROW(check_free_space("/dev/null", std::numeric_limits<std::uint64_t>::max()));
}

}  // namespace
}  // namespace pleiad
