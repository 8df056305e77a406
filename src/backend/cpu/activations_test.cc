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

  static constexpr Activations::Forms kWords = {.words = true};
  static constexpr Activations::Forms kSuperblocks = {.superblocks = true};

  void prepare(std::int64_t n_rows, std::int64_t n_words, std::int64_t cols,
               Activations::Forms forms) {
    std::vector<float> x = normal(static_cast<std::size_t>(n_rows * cols));
    activations_.prepare(Tensor(x.data(), n_rows, cols), n_words, forms, pool_);
  }

  Activations activations_;
  ThreadPool pool_;
};

TEST_P(ActivationsTest, AreInBlocksWhereEnoughRowsAreWords) {
  const bool blocks = kernels_.fill_batch != nullptr;
  constexpr std::int64_t kLeast = kernels::kLeastBatchRows;
  for (const Activations::Forms& forms : {kWords, kSuperblocks}) {
    const auto has_batch = [&] {
      EXPECT_EQ((forms.words ? activations_.superblocks() : activations_.integers()).batch, nullptr)
          << "of the form that was not asked for";
      return (forms.words ? activations_.integers() : activations_.superblocks()).batch != nullptr;
    };
    prepare(kLeast, kLeast, kWide, forms);
    EXPECT_EQ(has_batch(), blocks);
    prepare(kLeast - 1, kLeast - 1, kWide, forms);
    EXPECT_FALSE(has_batch());
    prepare(kMostRows, kLeast, kWide, forms);
    EXPECT_EQ(has_batch(), blocks);
    prepare(kMostRows, 0, kWide, forms);
    EXPECT_FALSE(has_batch());
    prepare(kLeast, kLeast, kWide, forms);
    prepare(kLeast, kLeast, kWide, {.floats = true});
    EXPECT_FALSE(has_batch()) << "of the input before";
  }
}

// What a wider input left there may be denormal as f32, and slow to compute with.
TEST_P(ActivationsTest, HaveNoScalesWhereABlockHasNoRows) {
  constexpr std::int64_t kRows = kernels::kBatchRows + kernels::kLeastBatchRows;
  const auto check = [&](const std::byte* batch, std::int64_t block_bytes, std::int64_t scales,
                         std::int64_t n_scales) {
    if (!kernels_.fill_batch) {
      EXPECT_EQ(batch, nullptr);
      return;
    }
    for (std::int64_t row = 0; row < 2 * kernels::kBatchRows; ++row) {
      const std::byte* of_block = batch + row / kernels::kBatchRows * block_bytes + scales;
      for (std::int64_t i = 0; i < n_scales; ++i) {
        float value;
        std::memcpy(&value, of_block + 4 * (kernels::kBatchRows * i + row % kernels::kBatchRows),
                    4);
        EXPECT_EQ(value != 0.0F, row < kRows) << "row " << row << " scale " << i;
      }
    }
  };
  prepare(2 * kernels::kBatchRows, 2 * kernels::kBatchRows, kWide, kWords);
  prepare(kRows, kRows, kNarrow, kWords);
  const kernels::BatchBlock block = {kNarrow};
  check(activations_.integers().batch, block.bytes(), block.scales(), block.groups());
  prepare(2 * kernels::kBatchRows, 2 * kernels::kBatchRows, kWide, kSuperblocks);
  prepare(kRows, kRows, kNarrow, kSuperblocks);
  const kernels::SuperblockBatch superblocks = {kNarrow};
  check(activations_.superblocks().batch, superblocks.bytes(), superblocks.scales(),
        superblocks.superblocks());
}

INSTANTIATE_TEST_SUITE_P(EveryIsa, ActivationsTest, ::testing::ValuesIn(usable_isas()), isa_name);

}  // namespace
}  // namespace pleiad::cpu
