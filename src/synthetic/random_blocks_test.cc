#include "synthetic/random_blocks.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tensor/decode.h"

namespace pleiad::synthetic {
namespace {

constexpr std::size_t kElements = 1 << 16;
constexpr DType kTypes[] = {DType::f32,  DType::f16,  DType::bf16, DType::q8_0, DType::q4_0,
                            DType::q4_k, DType::q5_k, DType::q6_k, DType::nvfp4};

std::vector<float> decoded(DType type, float mean, float deviation) {
  std::vector<std::byte> bytes(row_bytes(type, kElements));
  RandomBlocks(type, mean, deviation).fill(7, bytes);
  std::vector<float> values(kElements);
  decode_blocks(type, bytes.data(), kElements, values.data());
  return values;
}

TEST(RandomBlocks, HaveTheMeanAndDeviationAskedFor) {
  for (const DType type : kTypes) {
    const float mean = type == DType::f32 ? 0.25F : 0.0F;
    const float deviation = type == DType::nvfp4 ? kNvFp4Deviation : 0.02F;
    double sum = 0;
    double squares = 0;
    for (const float value : decoded(type, mean, deviation)) {
      ASSERT_TRUE(std::isfinite(value)) << name(type);
      sum += value;
      squares += (value - mean) * (value - mean);
    }
    EXPECT_NEAR(std::sqrt(squares / kElements) / deviation, 1.0, 0.02) << name(type);
    EXPECT_NEAR((sum / kElements - mean) / deviation, 0.0, 0.1) << name(type);
  }
}

TEST(RandomBlocks, FollowFromTheirKey) {
  const RandomBlocks blocks(DType::q4_0, 0, 0.02F);
  std::vector<std::byte> first(18 * 5);
  std::vector<std::byte> again(18 * 5);
  std::vector<std::byte> other(18 * 5);
  blocks.fill(1, first);
  blocks.fill(1, again);
  blocks.fill(2, other);
  EXPECT_EQ(first, again);
  EXPECT_NE(first, other);
}

TEST(RandomBlocks, HoldNoByteThatQuantizersNeverWrite) {
  std::vector<std::byte> bytes(row_bytes(DType::q8_0, kElements));
  RandomBlocks(DType::q8_0, 0, 0.02F).fill(3, bytes);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    if (at % 34 >= 2) {
      ASSERT_NE(bytes[at], std::byte{0x80}) << at;
    }
  }
}

}  // namespace
}  // namespace pleiad::synthetic
