#include "base/aligned_buffer.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace pleiad {

TEST(AlignedBuffer, IsAlignedAndZeroedForOddSizes) {
  for (const std::size_t size : {1UL, 3UL, 17UL, 1000UL}) {
    AlignedBuffer<float> buffer(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0U);
    EXPECT_EQ(buffer.size(), size);
    for (const float value : buffer.span()) EXPECT_EQ(value, 0.0F);
  }
}

TEST(AlignedBuffer, MayBeEmpty) { EXPECT_TRUE(AlignedBuffer<int>(0).span().empty()); }

}  // namespace pleiad
