#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tensor/float16.h"
#include "tensor/float8.h"

namespace pleiad {

TEST(Float16, EveryHalfSurvivesTheRoundTrip) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = f32_from_f16(static_cast<std::uint16_t>(bits));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(f32_from_f16(f16_from_f32(value)))) << bits;
    } else {
      ASSERT_EQ(f16_from_f32(value), bits);
    }
  }
}

TEST(Float16, RoundsToNearestTiesToEvenBetweenAllNeighbours) {
  for (std::uint32_t bits = 0; bits < 0x7BFF; ++bits) {
    const float low = f32_from_f16(static_cast<std::uint16_t>(bits));
    const float high = f32_from_f16(static_cast<std::uint16_t>(bits + 1));
    const float middle = low + (high - low) / 2;  // exact in float
    ASSERT_EQ(f16_from_f32(middle), bits % 2 == 0 ? bits : bits + 1);
    ASSERT_EQ(f16_from_f32(std::nextafter(middle, 0.0F)), bits);
    ASSERT_EQ(f16_from_f32(std::nextafter(middle, high)), bits + 1);
    ASSERT_EQ(f16_from_f32(-middle), 0x8000U | (bits % 2 == 0 ? bits : bits + 1));
  }
}

TEST(Float16, OverflowsToInfinityAndKeepsNan) {
  EXPECT_EQ(f16_from_f32(65504.0F), 0x7BFF);
  EXPECT_EQ(f16_from_f32(65519.9F), 0x7BFF);
  EXPECT_EQ(f16_from_f32(65520.0F), 0x7C00);
  EXPECT_EQ(f16_from_f32(-std::numeric_limits<float>::infinity()), 0xFC00);
  EXPECT_EQ(f16_from_f32(std::numeric_limits<float>::quiet_NaN()) & 0x7C00, 0x7C00);
  EXPECT_EQ(f16_from_f32(0x1p-25F), 0) << "the tie goes to even";
  EXPECT_EQ(f16_from_f32(std::nextafter(0x1p-25F, 1.0F)), 1);
}

TEST(BFloat16, EveryValueSurvivesTheRoundTrip) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = f32_from_bf16(static_cast<std::uint16_t>(bits));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(f32_from_bf16(bf16_from_f32(value)))) << bits;
    } else {
      ASSERT_EQ(bf16_from_f32(value), bits);
    }
  }
}

TEST(BFloat16, RoundsToNearestTiesToEven) {
  EXPECT_EQ(bf16_from_f32(std::bit_cast<float>(0x3F808000U)), 0x3F80) << "tie, even below";
  EXPECT_EQ(bf16_from_f32(std::bit_cast<float>(0x3F818000U)), 0x3F82) << "tie, even above";
  EXPECT_EQ(bf16_from_f32(std::bit_cast<float>(0x3F808001U)), 0x3F81);
  EXPECT_EQ(bf16_from_f32(std::bit_cast<float>(0x3F807FFFU)), 0x3F80);
  EXPECT_EQ(bf16_from_f32(std::numeric_limits<float>::max()), 0x7F80) << "infinity";
  // A NaN whose payload is in the lower half only.
  EXPECT_TRUE(std::isnan(f32_from_bf16(bf16_from_f32(std::bit_cast<float>(0x7F800001U)))));
}

TEST(Float8, KnowsItsExtremes) {
  EXPECT_EQ(f32_from_e4m3(0x7E), 448.0F);
  EXPECT_EQ(f32_from_e4m3(0xFE), -448.0F);
  EXPECT_EQ(f32_from_e4m3(0x01), 0x1p-9F);
  EXPECT_EQ(f32_from_e4m3(0x08), 0x1p-6F);
  EXPECT_EQ(f32_from_e4m3(0x38), 1.0F);
  EXPECT_TRUE(std::isnan(f32_from_e4m3(0x7F)));
  EXPECT_TRUE(std::isnan(f32_from_e4m3(0xFF)));
  EXPECT_TRUE(std::signbit(f32_from_e4m3(0x80)));
}

TEST(Float8, UnsignedScalesHaveNoNanAndNoSign) {
  EXPECT_EQ(f32_from_ue4m3(0x00), 0.0F);
  EXPECT_EQ(f32_from_ue4m3(0x7F), 0.0F);
  EXPECT_EQ(f32_from_ue4m3(0x7E), 448.0F);
  EXPECT_EQ(f32_from_ue4m3(0x38), 1.0F);
  EXPECT_EQ(f32_from_ue4m3(0xB8), 1.0F);
}

}  // namespace pleiad
