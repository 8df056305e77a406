// The search against the plain rule, and every instruction set against the baseline.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "quantize/quantize_testing.h"

namespace pleiad::quantize {
namespace {

struct Row {
  const char* what;
  std::vector<float> values;
};

template <typename Make>
std::vector<float> made(std::size_t n, Make make) {
  std::vector<float> row(n);
  for (std::size_t i = 0; i < n; ++i) row[i] = make(i);
  return row;
}

/// Values as weights have them, and as nobody wants them; nine blocks of 256 columns,
/// which is no whole number of lanes for any type.
std::vector<Row> rows() {
  constexpr std::size_t kCols = 256 * 9;
  const std::vector<float> normal = normal_row(kCols, 1, 0.02F);
  std::mt19937 random(2);
  std::student_t_distribution<float> heavy(2.0F);
  std::uniform_real_distribution<float> exponent(-30.0F, 15.0F);
  return {
      {"normal", normal},
      {"heavy-tailed", made(kCols, [&](std::size_t) { return heavy(random); })},
      {"constant", made(kCols, [](std::size_t) { return 0.37F; })},
      {"negative constant", made(kCols, [](std::size_t) { return -0.37F; })},
      {"zero", made(kCols, [](std::size_t) { return 0.0F; })},
      {"one outlier", made(kCols, [&](std::size_t i) { return i % 32 == 7 ? 3.0F : normal[i]; })},
      {"one value", made(kCols, [](std::size_t i) { return i % 256 == 99 ? -2.5F : 0.0F; })},
      {"far from zero", made(kCols, [&](std::size_t i) { return 5.0F + normal[i]; })},
      {"signs", made(kCols, [&](std::size_t i) { return normal[i] > 0 ? 1.0F : -1.0F; })},
      {"near the smallest half", made(kCols, [&](std::size_t i) { return normal[i] * 1e-5F; })},
      {"denormal", made(kCols, [&](std::size_t i) { return normal[i] * 1e-37F; })},
      {"near the largest half", made(kCols, [&](std::size_t i) { return normal[i] * 8e5F; })},
      {"beyond every type", made(kCols, [&](std::size_t i) { return normal[i] * 1e20F * 1e19F; })},
      {"of all sizes",
       made(kCols,
            [&](std::size_t i) { return std::copysign(std::exp2(exponent(random)), normal[i]); })},
  };
}

std::vector<float> importance_of(std::size_t n) {
  std::vector<float> importance = normal_row(n, 3, 1.5F);
  for (std::size_t i = 0; i < n; ++i) {
    importance[i] = i % 11 == 0 || i / 32 == 5 ? 0.0F : 1e-9F * std::exp(importance[i]);
  }
  return importance;
}

class SearchTypes : public ::testing::TestWithParam<DType> {};

TEST_P(SearchTypes, NoBlockIsWorseThanByThePlainRule) {
  const DType type = GetParam();
  const auto block = static_cast<std::size_t>(traits(type).block_size);
  for (const Row& row : rows()) {
    for (const bool weighted : {false, true}) {
      const auto importance = weighted ? importance_of(row.values.size()) : std::vector<float>();
      EncodeOptions options{.type = type, .rounding = Rounding::nearest};
      options.tensor_scale = tensor_scale_for(type, row.values);
      options.importance = importance;
      const Encoded nearest = encode(best_kernels(), options, row.values);
      options.rounding = Rounding::search;
      const Encoded found = encode(best_kernels(), options, row.values);
      for (std::size_t first = 0; first < row.values.size(); first += block) {
        const double before = squared_error(row.values, nearest.values, first, block, importance);
        const double after = squared_error(row.values, found.values, first, block, importance);
        ASSERT_LE(after, before * (1 + 1e-6))
            << row.what << (weighted ? ", weighted" : "") << ", from column " << first;
      }
    }
  }
}

TEST_P(SearchTypes, IsClearlyBetterThanThePlainRuleForNormalValues) {
  const auto row = normal_row(256 * 64, 4, 0.02F);
  const auto importance = importance_of(row.size());
  for (const bool weighted : {false, true}) {
    EncodeOptions options{.type = GetParam(), .rounding = Rounding::nearest};
    options.tensor_scale = tensor_scale_for(GetParam(), row);
    const auto weights = weighted ? importance : std::vector<float>();
    options.importance = weights;
    const Encoded nearest = encode(best_kernels(), options, row);
    options.rounding = Rounding::search;
    const Encoded found = encode(best_kernels(), options, row);
    const double before = squared_error(row, nearest.values, 0, row.size(), weights);
    const double after = squared_error(row, found.values, 0, row.size(), weights);
    EXPECT_LT(after, before * (weighted ? 0.75 : 0.93)) << (weighted ? "weighted" : "plain");
  }
}

INSTANTIATE_TEST_SUITE_P(All, SearchTypes,
                         ::testing::Values(DType::q8_0, DType::q4_0, DType::q4_1, DType::q5_0,
                                           DType::q5_1, DType::q4_k, DType::q5_k, DType::q6_k,
                                           DType::nvfp4, DType::nvfp4_packed),
                         [](const auto& test) { return std::string(name(test.param)); });

class EncodeKernels : public ::testing::TestWithParam<DType> {};

TEST_P(EncodeKernels, AllInstructionSetsGiveTheSameBits) {
  const std::vector<Kernels> kernels = usable_kernels();
  for (const Row& row : rows()) {
    const auto importance = importance_of(row.values.size());
    EncodeOptions options{.type = GetParam()};
    options.tensor_scale = tensor_scale_for(GetParam(), row.values);
    for (const Rounding rounding : {Rounding::nearest, Rounding::search}) {
      options.rounding = rounding;
      for (const bool weighted : {false, true}) {
        options.importance =
            weighted ? std::span<const float>(importance) : std::span<const float>();
        const Encoded expected = encode(kernels.front(), options, row.values);
        for (const Kernels& other : kernels) {
          const Encoded found = encode(other, options, row.values);
          ASSERT_EQ(found.data, expected.data) << other.isa << ", " << row.what;
          ASSERT_EQ(found.block_scales, expected.block_scales) << other.isa << ", " << row.what;
        }
      }
    }
  }
}

TEST_P(EncodeKernels, ABlockDoesNotDependOnItsNeighbours) {
  const auto row = normal_row(256 * 5, 6);
  EncodeOptions options{.type = GetParam()};
  options.tensor_scale = tensor_scale_for(GetParam(), row);
  const Encoded whole = encode(best_kernels(), options, row);
  const std::vector<float> last(row.end() - 256, row.end());
  const Encoded alone = encode(best_kernels(), options, last);
  EXPECT_TRUE(std::equal(alone.data.begin(), alone.data.end(),
                         whole.data.end() - static_cast<std::ptrdiff_t>(alone.data.size())));
}

INSTANTIATE_TEST_SUITE_P(All, EncodeKernels, ::testing::ValuesIn(kAllTypes),
                         [](const auto& test) { return std::string(name(test.param)); });

}  // namespace
}  // namespace pleiad::quantize
