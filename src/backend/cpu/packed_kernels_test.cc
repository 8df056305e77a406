// Products with packed weights, of every kind and with every instruction set, on
// odd sizes: against double precision of the values that tensor/decode.h gives,
// within what rounding the activations can make of them at worst.

#include <algorithm>
#include <cmath>

#include "backend/cpu/packed_testing.h"
#include "base/testing/sanitizers.h"

namespace pleiad::cpu {
namespace {

class PackedKernels : public PackedKernelsTest {};

struct Size {
  std::int64_t rows, n_x;
};

TEST_P(PackedKernels, StayWithinTheRoundingOfTheirActivations) {
  std::vector<Size> sizes = {{1, 1},  {15, 2}, {16, 3},  {17, 4},  {33, 5},  {16, 6},  {49, 8},
                             {15, 7}, {17, 9}, {16, 16}, {17, 13}, {33, 17}, {16, 29}, {100, 33}};
  if (kSanitized) sizes.resize(11);
  for (const DType type : kPackedTypes) {
    for (const std::int64_t cols : odd_cols(type)) {
      for (const Size& size : sizes) {
        StoredTensor tensor = stored(type, {size.rows, cols});
        tensor.host.scales.row_scales = normal(static_cast<std::size_t>(size.rows));
        tensor.host.scales.tensor_scale = 0.5F;
        const std::vector<float> x = normal(static_cast<std::size_t>(size.n_x * cols));
        const PackedProduct product(kernels_, tensor.host);
        const Reference reference(tensor.host, x, size.n_x);
        for (const Path path : product.paths()) {
          const std::vector<float> out = product.run(path, x, size.n_x);
          for (std::size_t i = 0; i < out.size(); ++i) {
            ASSERT_NEAR(out[i], reference.sums[i], reference.tolerance(path, product.kind(), i))
                << name(type) << " " << name(path) << " [" << size.rows << ", " << cols << "] x "
                << size.n_x << " value " << i;
          }
        }
      }
    }
  }
}

TEST_P(PackedKernels, GiveEachInputRowTheSameBitsWhateverItsCompany) {
  constexpr std::int64_t kRows = 70;
  constexpr std::int64_t kInputs = 33;
  for (const DType type : kPackedTypes) {
    const std::int64_t cols = odd_cols(type).back();
    const StoredTensor tensor = stored(type, {kRows, cols});
    const std::vector<float> x = normal(static_cast<std::size_t>(kInputs * cols));
    const PackedProduct product(kernels_, tensor.host);
    for (const Path path : product.paths()) {
      const std::vector<float> together = product.run(path, x, kInputs);
      for (const std::int64_t n_x : {1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17, 29}) {
        const std::int64_t first = (kInputs - n_x) / 2;
        const std::vector<float> part(x.begin() + first * cols, x.begin() + (first + n_x) * cols);
        const std::vector<float> found = product.run(path, part, n_x);
        ASSERT_TRUE(std::equal(found.begin(), found.end(), together.begin() + first * kRows))
            << name(type) << " " << name(path) << " " << n_x << " rows";
      }
      for (const std::int64_t split : {1, 2, 3}) {
        ASSERT_EQ(product.run(path, x, kInputs, 0, split), together)
            << name(type) << " " << name(path) << " panels divided at " << split;
      }
    }
  }
}

TEST_P(PackedKernels, ComputeWithTheMatrixThatIsAskedFor) {
  for (const DType type : kPackedTypes) {
    const std::int64_t cols = odd_cols(type)[1];
    StoredTensor tensor = stored(type, {3, 19, cols});
    tensor.host.scales.row_scales = normal(3 * 19);
    const std::vector<float> x = normal(static_cast<std::size_t>(2 * cols));
    const PackedProduct product(kernels_, tensor.host);
    const Reference reference(tensor.host, x, 2);
    for (const Path path : product.paths()) {
      for (std::int64_t matrix = 0; matrix < 3; ++matrix) {
        const std::vector<float> out = product.run(path, x, 2, matrix);
        for (std::int64_t i = 0; i < 2 * 19; ++i) {
          const auto at = static_cast<std::size_t>(i / 19 * 57 + matrix * 19 + i % 19);
          ASSERT_NEAR(out[static_cast<std::size_t>(i)], reference.sums[at],
                      reference.tolerance(path, product.kind(), at))
              << name(type) << " " << name(path) << " matrix " << matrix;
        }
      }
    }
  }
}

TEST_P(PackedKernels, NeverWriteBeyondTheRowsThatExist) {
  for (const DType type : kPackedTypes) {
    const std::int64_t cols = odd_cols(type).front();
    const StoredTensor tensor = stored(type, {18, cols});
    const std::vector<float> x = normal(static_cast<std::size_t>(5 * cols));
    const PackedProduct product(kernels_, tensor.host);
    for (const Path path : product.paths()) {
      const std::vector<float> wide = product.run(path, x, 5, 0, 0, 20);
      const std::vector<float> dense = product.run(path, x, 5);
      for (std::size_t i = 0; i < wide.size(); ++i) {
        const float expected = i % 20 < 18 ? dense[i / 20 * 18 + i % 20] : kUntouched;
        ASSERT_EQ(wide[i], expected) << name(type) << " " << name(path) << " value " << i;
      }
    }
  }
}

// A large value costs what shares its scale the precision: where weights have scales for 16
// columns, activations do too, and the other 16 columns of its 32 keep theirs.
TEST_P(PackedKernels, RoundSixteenColumnsAloneAsBytesWhereWeightsHaveScalesForSixteen) {
  for (const DType type : {DType::q6_k, DType::nvfp4}) {
    const std::int64_t cols = odd_cols(type).back();
    const StoredTensor tensor = stored(type, {18, cols});
    std::vector<float> x = normal(static_cast<std::size_t>(5 * cols));
    std::vector<float> small = x;
    for (std::size_t i = 0; i < x.size(); i += 32) {
      std::fill_n(x.begin() + static_cast<std::ptrdiff_t>(i), 16, 0.0F);
      std::fill_n(small.begin() + static_cast<std::ptrdiff_t>(i), 16, 0.0F);
      x[i + 5] = 1000.0F;  // exact, whatever the scale
    }
    const PackedProduct product(kernels_, tensor.host);
    ASSERT_TRUE(kernels::has_sixteens(product.kind()));
    const Reference reference(tensor.host, x, 5);
    const Reference of_small(tensor.host, small, 5);
    const std::vector<float> out = product.run(Path::bytes, x, 5);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double bound = of_small.steps[i] / 2 / 127 * 1.0001 + 3e-6 * reference.largest[i];
      ASSERT_NEAR(out[i], reference.sums[i], bound) << name(type) << " value " << i;
    }
  }
}

// The results would be the same without them, only later.
TEST_P(PackedKernels, ComputeWithBlocksOfWordsWhereThereAreSome) {
  for (const DType type : kPackedTypes) {
    const std::int64_t cols = odd_cols(type).back();
    const StoredTensor tensor = stored(type, {18, cols});
    const PackedProduct product(kernels_, tensor.host);
    const bool blocks = kernels_.fill_batch && kernels::is_integer(product.kind());
    for (const std::int64_t n_x : {2, 3, 4, 5, 8, 10, 12, 13}) {
      const std::vector<float> x = normal(static_cast<std::size_t>(n_x * cols));
      const std::vector<float> batch = normal(x.size());
      std::vector<float> seen = x;
      const int least = kernels::least_batch_rows(product.kind());
      if (blocks) {
        std::copy_n(batch.begin(), kernels::batched_rows(n_x, least) * cols, seen.begin());
      }
      EXPECT_EQ(product.run_with_batch(x, batch, n_x), product.run(Path::words, seen, n_x))
          << name(type) << " " << n_x << " rows";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryIsa, PackedKernels, ::testing::ValuesIn(usable_isas()), isa_name);

/// Sets that differ only in the instructions that multiply bytes: those of the second are
/// used for rows as words and, but for the matrix unit's, for rows as bytes.
struct SetPair {
  Isa one;
  Isa other;
};

std::vector<SetPair> usable_pairs() {
  std::vector<SetPair> pairs;
  const std::vector<Isa> usable = usable_isas();
  const auto has = [&](Isa isa) { return std::ranges::find(usable, isa) != usable.end(); };
  for (const SetPair& pair : {SetPair{Isa::neon, Isa::i8mm}, SetPair{Isa::avx2, Isa::avxvnni},
                              SetPair{Isa::avx512, Isa::amx}}) {
    if (has(pair.one) && has(pair.other)) pairs.push_back(pair);
  }
  return pairs;
}

class PackedIntegers : public ::testing::TestWithParam<SetPair>, protected TensorMaker {};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PackedIntegers);

TEST_P(PackedIntegers, AreTheSameBitsSinceSumsOfAGroupAreExact) {
  const kernels::Kernels one = kernels_for(GetParam().one);
  const kernels::Kernels other = kernels_for(GetParam().other);
  for (const DType type : kPackedTypes) {
    const std::int64_t cols = odd_cols(type).back();
    const StoredTensor tensor = stored(type, {33, cols});
    const PackedProduct product(one, tensor.host);
    const PackedProduct other_product(other, tensor.host);
    for (const std::int64_t n_x : {1, 2, 3, 4, 7, 9, 29}) {
      const std::vector<float> x = normal(static_cast<std::size_t>(n_x * cols));
      for (const Path path : product.paths()) {
        EXPECT_EQ(product.run(path, x, n_x), other_product.run(path, x, n_x))
            << name(type) << " " << name(path) << " " << n_x << " rows";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryPair, PackedIntegers, ::testing::ValuesIn(usable_pairs()),
                         [](const ::testing::TestParamInfo<SetPair>& item) {
                           return std::string(name(item.param.other));
                         });

}  // namespace
}  // namespace pleiad::cpu
