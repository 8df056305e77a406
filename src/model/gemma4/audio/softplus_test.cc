#include "model/gemma4/audio/softplus.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tensor/float16.h"

namespace pleiad::gemma4 {
namespace {

/// 128 values of about the size that scales have, rounded to a type.
template <typename Rounded>
std::vector<float> scales(unsigned seed, Rounded rounded) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0F, 1.5F);
  std::vector<float> values;
  while (values.size() < 128) {
    const float value = rounded(normal(random));
    if (std::abs(value) > 1e-3F) values.push_back(value);
  }
  return values;
}

std::vector<float> softplus_of(std::vector<float> values) {
  for (float& value : values) value = softplus(value);
  return values;
}

float as_bf16(float x) { return f32_from_bf16(bf16_from_f32(x)); }
float as_f16(float x) { return f32_from_f16(f16_from_f32(x)); }

TEST(Softplus, IsTheReferences) {
  EXPECT_FLOAT_EQ(softplus(0.0F), 0.69314718F);
  EXPECT_FLOAT_EQ(softplus(-3.0F), 0.04858735F);
  EXPECT_EQ(softplus(20.5F), 20.5F);
}

TEST(Softplus, ComesBackBitForBitFromValuesOf16Bits) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    for (auto* rounded : {as_bf16, as_f16}) {
      std::vector<float> values = scales(seed, rounded);
      values.insert(values.end(), {-30.0F, -9.0F, 4.5F, 19.0F, 20.0F, 30.0F, 100.0F});
      EXPECT_EQ(inverse_softplus(softplus_of(values)), values) << seed;
    }
  }
}

// What another program computed differs in the last place.
TEST(Softplus, ComesBackFromOthersArithmetic) {
  const std::vector<float> values = scales(7, as_bf16);
  std::vector<float> others = softplus_of(values);
  for (std::size_t i = 0; i < others.size(); ++i) {
    others[i] = std::nextafter(others[i], i % 2 == 0 ? 0.0F : 1e9F);
  }
  EXPECT_EQ(inverse_softplus(others), values);
}

TEST(Softplus, OfValuesOf32BitsComesBackItself) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const std::vector<float> expected = softplus_of(scales(seed, [](float x) { return x; }));
    EXPECT_EQ(softplus_of(inverse_softplus(expected)), expected) << seed;
  }
}

}  // namespace
}  // namespace pleiad::gemma4
