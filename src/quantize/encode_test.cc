#include "quantize/encode.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "quantize/quantize_testing.h"
#include "tensor/blocks.h"

namespace pleiad::quantize {
namespace {

// The largest relative error of normal values, root mean square, by the plain rule.
double expected_error(DType type) {
  switch (type) {
    case DType::f32:
      return 0;
    case DType::f16:
      return 3e-4;
    case DType::bf16:
      return 2e-3;
    case DType::q8_0:
      return 7e-3;
    case DType::q6_k:
      return 0.022;
    case DType::f8_e4m3:
      return 0.03;
    case DType::q5_0:
    case DType::q5_1:
    case DType::q5_k:
      return 0.05;
    default:
      return 0.105;
  }
}

class EncodeTypes : public ::testing::TestWithParam<DType> {};

TEST_P(EncodeTypes, GivesValuesBackWithinTheErrorOfTheType) {
  const auto row = normal_row(256 * 37, 1);
  for (const Rounding rounding : {Rounding::nearest, Rounding::search}) {
    EncodeOptions options{.type = GetParam(), .rounding = rounding};
    options.tensor_scale = tensor_scale_for(GetParam(), row);
    const Encoded encoded = encode(best_kernels(), options, row);
    const double error = std::sqrt(squared_error(row, encoded.values, 0, row.size()) /
                                   static_cast<double>(row.size()));
    EXPECT_LE(error, expected_error(GetParam()));
    EXPECT_GE(error, expected_error(GetParam()) / 3);
  }
}

TEST_P(EncodeTypes, GivesZerosBack) {
  const std::vector<float> row(512, 0.0F);
  for (const Rounding rounding : {Rounding::nearest, Rounding::search}) {
    const Encoded encoded = encode(best_kernels(), {.type = GetParam(), .rounding = rounding}, row);
    EXPECT_EQ(encoded.values, row);
  }
}

INSTANTIATE_TEST_SUITE_P(All, EncodeTypes, ::testing::ValuesIn(kAllTypes),
                         [](const auto& test) { return std::string(name(test.param)); });

}  // namespace
}  // namespace pleiad::quantize
