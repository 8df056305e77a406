// The forms that activations take for packed weights, beyond what products with them show.

#include "backend/cpu/activations.h"

#include <algorithm>

#include "backend/cpu/kernels_testing.h"

namespace pleiad::cpu {
namespace {

class ActivationsTest : public KernelsTest {
 protected:
  static constexpr std::int64_t kMostRows = 20;
  static constexpr std::int64_t kWide = 1024;
  static constexpr std::int64_t kNarrow = 256;

  ActivationsTest() : activations_(kernels_, kMostRows), pool_(2) { activations_.reserve(kWide); }

  void prepare(std::int64_t n_rows, std::int64_t n_generated, std::int64_t cols,
               Activations::Forms forms = {.integers = true}) {
    std::vector<float> x = normal(static_cast<std::size_t>(n_rows * cols));
    activations_.prepare(Tensor(x.data(), n_rows, cols), n_generated, forms, pool_);
  }

  Activations activations_;
  ThreadPool pool_;
};

TEST_P(ActivationsTest, AreInBlocksWhereEnoughRowsAreGeneratedTogether) {
  const bool blocks = kernels_.fill_batch != nullptr;
  constexpr std::int64_t kLeast = kernels::kLeastBatchRows;
  const auto has_batch = [&] { return activations_.batch() != nullptr; };
  prepare(kLeast, kLeast, kWide);
  EXPECT_EQ(has_batch(), blocks);
  prepare(kLeast - 1, kLeast - 1, kWide);
  EXPECT_FALSE(has_batch());
  prepare(kMostRows, kLeast, kWide);
  EXPECT_EQ(has_batch(), blocks);
  prepare(kMostRows, 0, kWide);
  EXPECT_FALSE(has_batch());
  prepare(kLeast, kLeast, kWide);
  prepare(kLeast, kLeast, kWide, {.floats = true});
  EXPECT_FALSE(has_batch()) << "of the input before";
}

// What a wider input left there may be denormal as f32, and slow to compute with.
TEST_P(ActivationsTest, HaveNoScalesWhereABlockHasNoRows) {
  if (!kernels_.fill_batch) {
    prepare(kMostRows, kMostRows, kWide);
    EXPECT_EQ(activations_.batch(), nullptr);
    return;
  }
  constexpr std::int64_t kRows = kernels::kBatchRows + kernels::kLeastBatchRows;
  prepare(2 * kernels::kBatchRows, 2 * kernels::kBatchRows, kWide);
  prepare(kRows, kRows, kNarrow);
  const kernels::BatchBlock layout = {kNarrow};
  for (std::int64_t row = 0; row < 2 * kernels::kBatchRows; ++row) {
    const std::byte* block = activations_.batch() + row / kernels::kBatchRows * layout.bytes();
    for (std::int64_t group = 0; group < layout.groups(); ++group) {
      for (const std::int64_t values : {layout.scales(), layout.scaled_sums()}) {
        float value;
        std::memcpy(&value,
                    block + values + kernels::BatchBlock::kValuesBytes * group +
                        4 * (row % kernels::kBatchRows),
                    4);
        EXPECT_EQ(value != 0.0F, row < kRows) << "row " << row << " group " << group;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryIsa, ActivationsTest, ::testing::ValuesIn(usable_isas()), isa_name);

}  // namespace
}  // namespace pleiad::cpu
