#include "sampling/softmax.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sampling/pick_kernels.h"
#include "sampling/reference_sampling.h"

namespace pleiad::sampling {
namespace {

TEST(ExpNonpositive, AgreesWithTheLibraryOverItsWholeRange) {
  Random random(1);
  for (int i = 0; i < 200000; ++i) {
    const double x = -708.0 * std::pow(random.uniform(), 4);
    const double expected = std::exp(x);
    ASSERT_NEAR(exp_nonpositive(x) / expected, 1.0, 1e-15) << x;
  }
}

TEST(ExpNonpositive, IsExactAtTheEnds) {
  EXPECT_EQ(exp_nonpositive(0.0), 1.0);
  EXPECT_EQ(exp_nonpositive(-0.0), 1.0);
  EXPECT_DOUBLE_EQ(exp_nonpositive(-708.0), std::exp(-708.0));
  EXPECT_EQ(exp_nonpositive(-746.0), 0.0);
  EXPECT_EQ(exp_nonpositive(-1401.0), 0.0);
  EXPECT_EQ(exp_nonpositive(-std::numeric_limits<double>::max()), 0.0);
  EXPECT_EQ(exp_nonpositive(-std::numeric_limits<double>::infinity()), 0.0);
}

TEST(ExpNonpositive, GivesTheSameBitsEverywhere) {
  EXPECT_EQ(exp_nonpositive(-0.1), 0x1.cf46d99d52b3bp-1);
  EXPECT_EQ(exp_nonpositive(-1.0), 0x1.78b56362cef38p-2);
  EXPECT_EQ(exp_nonpositive(-100.0), 0x1.a8c1f14e2af5dp-145);
}

TEST(MaxValue, LooksEverywhereAtOddSizes) {
  for (std::size_t size = 1; size < 70; ++size) {
    for (std::size_t peak = 0; peak < size; ++peak) {
      std::vector<float> values(size, -3.0F);
      values[peak] = -1.0F;
      ASSERT_EQ(max_value(values), -1.0F) << size << " " << peak;
    }
  }
  EXPECT_EQ(max_value({}), -std::numeric_limits<float>::infinity());
}

TEST(ExpWeights, AreTheExponentialsAndTheirSumAtOddSizes) {
  for (const std::size_t size : {1, 7, 8, 9, 1000, 1023}) {
    const std::vector<float> values = reference::normal_logits(size, 5.0, size);
    const float max = max_value(values);
    std::vector<double> weights(size);
    const double sum = exp_weights(values, max, 0.7, weights);
    double expected_sum = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const double expected = std::exp((static_cast<double>(values[i]) - max) / 0.7);
      ASSERT_NEAR(weights[i] / expected, 1.0, 1e-15);
      expected_sum += expected;
    }
    EXPECT_NEAR(sum / expected_sum, 1.0, 1e-13);
  }
}

TEST(ExpWeights, OfWhatIsRuledOutAreZeroAndChangeNoOthers) {
  constexpr float kNothing = -std::numeric_limits<float>::infinity();
  for (const std::size_t size : {65U, 640U, 1001U}) {
    std::vector<float> values = reference::normal_logits(size, 5.0, size);
    const float max = max_value(values);
    std::vector<double> all(size);
    exp_weights(values, max, 0.7, all);
    for (const std::size_t kept : {std::size_t{0}, size / 2, size - 1}) {
      std::vector<float> ruled_out(size, kNothing);
      ruled_out[kept] = values[kept];
      std::vector<double> weights(size, 1.0);
      EXPECT_EQ(exp_weights(ruled_out, max, 0.7, weights), all[kept]);
      for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(weights[i], i == kept ? all[i] : 0.0) << i;
    }
  }
}

TEST(Softmax, HasTheSameBitsOnEveryInstructionSet) {
  const Kernels baseline = baseline_kernels();
  for (const Kernels& kernels : usable_kernels()) {
    for (const std::size_t size : {0U, 1U, 7U, 8U, 17U, 64U, 65U, 1000U, 4099U}) {
      std::vector<float> values = reference::normal_logits(size, 30.0, size + 1);
      for (std::size_t i = 0; i < size / 3; ++i)
        values[i] = -std::numeric_limits<float>::infinity();
      const float max = baseline.max_value(values.data(), size);
      ASSERT_EQ(kernels.max_value(values.data(), size), max) << kernels.isa << " " << size;
      ASSERT_EQ(kernels.count_non_finite(values.data(), size), size / 3) << kernels.isa;
      for (const double temperature : {1e-300, 0.01, 0.7, 1.0, 2.0, 1e300}) {
        std::vector<double> expected(size);
        std::vector<double> found(size, -1.0);
        const double expected_sum =
            baseline.exp_weights(values.data(), size, max, temperature, expected.data());
        const double sum = kernels.exp_weights(values.data(), size, max, temperature, found.data());
        ASSERT_EQ(sum, expected_sum) << kernels.isa << " " << size << " " << temperature;
        ASSERT_EQ(found, expected) << kernels.isa << " " << size << " " << temperature;
      }
    }
  }
}

TEST(FindAbove, FindsTheFirstBlockOnEveryInstructionSet) {
  for (const Kernels& kernels : usable_kernels()) {
    for (const std::size_t size : {1U, 63U, 64U, 65U, 300U}) {
      std::vector<float> values(size, 2.0F);
      EXPECT_EQ(kernels.find_above(values.data(), 0, size, 2.0F), size) << kernels.isa;
      for (std::size_t peak = 0; peak < size; ++peak) {
        values[peak] = 3.0F;
        const std::size_t block = peak / kScanBlock * kScanBlock;
        ASSERT_EQ(kernels.find_above(values.data(), 0, size, 2.0F), block) << peak;
        ASSERT_EQ(kernels.find_above(values.data(), block, size, 2.0F), block) << peak;
        ASSERT_EQ(kernels.find_above(values.data(), block + kScanBlock, size, 2.0F), size) << peak;
        values[peak] = 2.0F;
      }
    }
  }
}

TEST(CountNonFinite, CountsInfinitiesAndNaNs) {
  for (const Kernels& kernels : usable_kernels()) {
    std::vector<float> values(10000, std::numeric_limits<float>::max());
    EXPECT_EQ(kernels.count_non_finite(values.data(), values.size()), 0U) << kernels.isa;
    values[0] = std::numeric_limits<float>::infinity();
    values[4095] = -std::numeric_limits<float>::infinity();
    values[9999] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(kernels.count_non_finite(values.data(), values.size()), 3U) << kernels.isa;
  }
}

TEST(LogSumExp, DoesNotOverflow) {
  const std::vector<float> same(5000, 3e38F);
  EXPECT_DOUBLE_EQ(log_sum_exp(same), static_cast<double>(3e38F) + std::log(5000.0));
  const std::vector<float> two{0.0F, 0.0F};
  EXPECT_DOUBLE_EQ(log_sum_exp(two), std::log(2.0));
}

}  // namespace
}  // namespace pleiad::sampling
