// CpuBackend::linear: which kernel meets which row, and that nothing else about the
// step changes a row's result.

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/packed_testing.h"

namespace pleiad::cpu {
namespace {

constexpr std::int64_t kMostRows = 64;
constexpr std::int64_t kLongPrompt = 545;  // more rows than meet weights at a time

class CpuLinear : public KernelsTest {
 protected:
  CpuBackend make(int n_threads, std::int64_t max_rows = kMostRows,
                  ActivationForm activations = ActivationForm::automatic) {
    return CpuBackend({.isa = std::string(name(GetParam())),
                       .n_threads = n_threads,
                       .max_rows = max_rows,
                       .activations = activations});
  }

  /// x * weight^T, [n_x, rows], where the first n_generated rows are generated.
  static std::vector<float> run(CpuBackend& backend, const Weight& weight, std::int64_t rows,
                                const std::vector<float>& x, std::int64_t n_x,
                                std::int64_t n_generated) {
    const std::vector<std::int32_t> zeros(static_cast<std::size_t>(n_x), 0);
    std::vector<float> input = x;
    std::vector<float> out(static_cast<std::size_t>(n_x * rows), kUntouched);
    backend.begin_step({zeros, zeros, zeros, n_generated});
    const LinearTask task = {Tensor(out.data(), n_x, rows), &weight};
    const auto cols = static_cast<std::int64_t>(x.size()) / n_x;
    backend.linear({&task, 1}, Tensor(input.data(), n_x, cols));
    backend.end_step();
    return out;
  }
};

std::vector<DType> every_type() {
  std::vector<DType> types = kAllTypes;
  types.push_back(DType::nvfp4_packed);
  return types;
}

TEST_P(CpuLinear, MultipliesBytesWhereThereIsNoMatrixUnit) {
  const CpuBackend backend = make(1);
  const bool matrix_unit = GetParam() == Isa::amx;
  for (const DType type : {DType::q4_0, DType::q8_0, DType::q6_k, DType::nvfp4}) {
    EXPECT_EQ(backend.multiplies_bytes(type), !matrix_unit) << name(type);
  }
  for (const DType type : {DType::f32, DType::bf16, DType::f8_e4m3, DType::q4_1}) {
    EXPECT_FALSE(backend.multiplies_bytes(type)) << name(type);
  }
}

TEST_P(CpuLinear, GivesEachRowTheSameBitsWhateverItsCompanyAndTheThreads) {
  constexpr std::int64_t kRows = 531;  // more panels than a task has
  constexpr std::int64_t kInputs = 20;
  constexpr std::int64_t kGenerated = 9;
  for (const DType type : every_type()) {
    const std::int64_t cols = odd_cols(type)[1];
    const StoredTensor tensor = stored(type, {kRows, cols});
    const std::vector<float> x = normal(static_cast<std::size_t>(kInputs * cols));
    CpuBackend two = make(2);
    const Weight weight = two.upload(tensor.host, WeightUse::matrix);
    const std::vector<float> together = run(two, weight, kRows, x, kInputs, kGenerated);
    for (const int n_threads : {1, 3}) {
      CpuBackend other = make(n_threads);
      const Weight again = other.upload(tensor.host, WeightUse::matrix);
      ASSERT_EQ(run(other, again, kRows, x, kInputs, kGenerated), together)
          << name(type) << " " << n_threads << " threads";
    }
    for (std::int64_t first = 0; first < kInputs; ++first) {
      for (const std::int64_t n_x : {1, 2, 5, 8, 9}) {
        if (first + n_x > kInputs) continue;
        const std::int64_t n_generated = std::clamp<std::int64_t>(kGenerated - first, 0, n_x);
        const std::vector<float> part(x.begin() + first * cols, x.begin() + (first + n_x) * cols);
        const std::vector<float> found = run(two, weight, kRows, part, n_x, n_generated);
        ASSERT_TRUE(std::equal(found.begin(), found.end(), together.begin() + first * kRows))
            << name(type) << " rows " << first << " to " << first + n_x;
      }
    }
  }
}

TEST_P(CpuLinear, OfARangeOfRowsAreTheSameBits) {
  constexpr std::int64_t kRows = 70;
  constexpr std::int64_t kInputs = 7;
  for (const DType type : every_type()) {
    const std::int64_t cols = odd_cols(type)[1];
    const StoredTensor tensor = stored(type, {kRows, cols});
    const std::vector<float> x = normal(static_cast<std::size_t>(kInputs * cols));
    CpuBackend backend = make(2);
    const Weight weight = backend.upload(tensor.host, WeightUse::matrix);
    const std::vector<float> all = run(backend, weight, kRows, x, kInputs, 3);
    for (const auto& [first, n] : {std::pair(0L, 32L), {32L, 38L}, {0L, 7L}, {7L, 63L}}) {
      const Weight part = backend.upload(row_range(tensor.host, first, n), WeightUse::matrix);
      const std::vector<float> found = run(backend, part, n, x, kInputs, 3);
      for (std::int64_t i = 0; i < kInputs; ++i) {
        ASSERT_TRUE(std::equal(found.begin() + i * n, found.begin() + (i + 1) * n,
                               all.begin() + i * kRows + first))
            << name(type) << " rows " << first << "+" << n;
      }
    }
  }
}

TEST_P(CpuLinear, RowsThatAreKeptAreGeneratedOrPromptAsTheCallerSays) {
  constexpr std::int64_t kRows = 20;
  CpuBackend backend = make(2);
  const StoredTensor tensor = stored(DType::q4_0, {kRows, 96});
  const Weight weight = backend.upload(tensor.host, WeightUse::matrix);
  const std::vector<float> x = normal(6 * 96);
  const std::vector<float> prompt = run(backend, weight, kRows, x, 6, 0);
  const std::vector<float> generated = run(backend, weight, kRows, x, 6, 6);
  ASSERT_EQ(prompt == generated, backend.has_one_arithmetic());
  const std::vector<std::int32_t> zeros(6, 0);
  for (const std::vector<std::int32_t>& kept :
       {std::vector<std::int32_t>{0, 2, 4}, {2}, {3}, {3, 4, 5}, {0, 1, 2}, {1, 5}}) {
    const std::int64_t n_generated = kept.front() == 3 ? std::ssize(kept) : std::ssize(kept) / 2;
    std::vector<float> input;
    std::vector<float> expected;
    for (const std::int32_t row : kept) {
      input.insert(input.end(), x.begin() + row * 96L, x.begin() + (row + 1) * 96L);
      const bool first = std::ssize(input) <= n_generated * 96;
      const std::vector<float>& all = first ? generated : prompt;
      expected.insert(expected.end(), all.begin() + row * kRows, all.begin() + (row + 1) * kRows);
    }
    const auto n = static_cast<std::int64_t>(kept.size());
    std::vector<float> out(expected.size());
    backend.begin_step({zeros, zeros, zeros, 3});
    backend.keep_rows(kept, n_generated);
    const LinearTask task = {Tensor(out.data(), n, kRows), &weight};
    backend.linear({&task, 1}, Tensor(input.data(), n, 96));
    backend.end_step();
    EXPECT_EQ(out, expected);
  }
}

TEST_P(CpuLinear, RoundsActivationsToTheFormThatWasAskedFor) {
  for (const ActivationForm form :
       {ActivationForm::automatic, ActivationForm::bytes, ActivationForm::words}) {
    for (const DType type : every_type()) {
      const std::int64_t cols = odd_cols(type)[2];
      StoredTensor tensor = stored(type, {37, cols});
      tensor.host.scales.row_scales = normal(37);
      const std::vector<float> x = normal(static_cast<std::size_t>(6 * cols));
      CpuBackend backend = make(2, kMostRows, form);
      const Weight weight = backend.upload(tensor.host, WeightUse::matrix);
      const std::vector<float> out = run(backend, weight, 37, x, 6, 3);
      const Reference reference(tensor.host, x, 6);
      const auto kind = packed_kind(tensor.host);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const bool generated = i / 37 < 3;
        const bool exact =
            !kind || *kind == kernels::PackedKind::f32 || *kind == kernels::PackedKind::f16;
        const bool matrix_unit = kernels_.tile_linear && form == ActivationForm::automatic;
        const Path path = exact || form == ActivationForm::words || (matrix_unit && generated)
                              ? Path::words
                          : matrix_unit ? Path::tiles
                                        : Path::bytes;
        ASSERT_NEAR(out[i], reference.sums[i],
                    reference.tolerance(path, kind.value_or(kernels::PackedKind::f32), i))
            << name(type) << " value " << i << " form " << static_cast<int>(form);
      }
    }
  }
}

TEST_P(CpuLinear, GivesGeneratedRowsTheBitsOfPromptsButForTheMatrixUnit) {
  constexpr std::int64_t kRows = 21;
  constexpr std::int64_t kInputs = 33;
  for (const ActivationForm form :
       {ActivationForm::automatic, ActivationForm::bytes, ActivationForm::words}) {
    CpuBackend backend = make(2, kMostRows, form);
    const bool automatic = form == ActivationForm::automatic;
    ASSERT_EQ(backend.has_one_arithmetic(), !automatic || GetParam() != Isa::amx);
    if (!backend.has_one_arithmetic()) continue;
    for (const DType type : every_type()) {
      const std::int64_t cols = odd_cols(type)[1];
      const StoredTensor tensor = stored(type, {kRows, cols});
      const std::vector<float> x = normal(static_cast<std::size_t>(kInputs * cols));
      const Weight weight = backend.upload(tensor.host, WeightUse::matrix);
      const std::vector<float> prompt = run(backend, weight, kRows, x, kInputs, 0);
      for (const std::int64_t n_generated : {std::int64_t{1}, std::int64_t{7}, kInputs}) {
        ASSERT_EQ(run(backend, weight, kRows, x, kInputs, n_generated), prompt)
            << name(type) << ", " << n_generated << " generated";
      }
      for (std::int64_t row = 0; row < kInputs; ++row) {
        const std::vector<float> own(x.begin() + row * cols, x.begin() + (row + 1) * cols);
        const std::vector<float> one = run(backend, weight, kRows, own, 1, 1);
        ASSERT_TRUE(std::equal(one.begin(), one.end(), prompt.begin() + row * kRows))
            << name(type) << " row " << row;
      }
    }
  }
}

TEST_P(CpuLinear, TypesWithNansAreComputedAsTheyLieInTheFile) {
  CpuBackend backend = make(2);
  for (const DType type : {DType::f8_e4m3, DType::nvfp4_packed}) {
    StoredTensor tensor = stored(type, {19, 48});
    // A code for NaN in row 7.
    if (type == DType::f8_e4m3) {
      tensor.data[7 * 48 + 5] = std::byte{0xFF};
    } else {
      tensor.block_scales[7 * 3 + 1] = std::byte{0x7F};
    }
    tensor.host.data = tensor.data;
    tensor.host.scales.block_scales = tensor.block_scales;
    const std::vector<float> x = normal(3 * 48);
    const Weight weight = backend.upload(tensor.host, WeightUse::matrix);
    EXPECT_TRUE(weight.reads_file());
    const std::vector<float> out = run(backend, weight, 19, x, 3, 1);
    const Reference reference(tensor.host, x, 3);
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (i % 19 == 7) {
        EXPECT_TRUE(std::isnan(out[i]));
      } else {
        EXPECT_NEAR(out[i], reference.sums[i], 3e-6 * reference.largest[i]);
      }
    }
  }
}

TEST_P(CpuLinear, SeveralWeightsOfDifferentTypesShareAnInput) {
  CpuBackend backend = make(3);
  // Every form that activations take; then all forms of integers and sizes of blocks.
  for (const std::vector<DType>& types :
       {std::vector<DType>{DType::q4_k, DType::f32, DType::q5_1, DType::bf16},
        std::vector<DType>{DType::q4_k, DType::q8_0, DType::q6_k, DType::nvfp4}}) {
    std::vector<StoredTensor> tensors;
    for (const DType type : types) tensors.push_back(stored(type, {21, 256}));
    std::vector<Weight> weights;
    for (StoredTensor& tensor : tensors) {
      tensor.host.data = tensor.data;
      weights.push_back(backend.upload(tensor.host, WeightUse::matrix));
    }
    std::vector<float> x = normal(7 * 256);
    for (const std::int64_t n_generated : {0, 2, 3, 7}) {
      std::vector<std::vector<float>> out(4, std::vector<float>(7 * 21));
      std::vector<LinearTask> tasks;
      for (std::size_t i = 0; i < 4; ++i) {
        tasks.push_back({Tensor(out[i].data(), 7, 21), &weights[i]});
      }
      const std::vector<std::int32_t> zeros(7, 0);
      backend.begin_step({zeros, zeros, zeros, n_generated});
      backend.linear(tasks, Tensor(x.data(), 7, 256));
      backend.end_step();
      for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(out[i], run(backend, weights[i], 21, x, 7, n_generated)) << name(types[i]);
      }
    }
  }
}

// Results of long prompts may go past the cache, where they lie as the cache does.
TEST_P(CpuLinear, GivesLongPromptsTheBitsOfShortOnes) {
  constexpr std::int64_t kRows = 64;
  for (const DType type : {DType::bf16, DType::q4_0, DType::q6_k}) {
    const std::int64_t cols = odd_cols(type).front() * (type == DType::bf16 ? 32 : 1);
    const StoredTensor tensor = stored(type, {kRows, cols});
    std::vector<float> x = normal(static_cast<std::size_t>(kLongPrompt * cols));
    CpuBackend backend = make(2, kLongPrompt);
    const Weight weight = backend.upload(tensor.host, WeightUse::matrix);
    const std::vector<std::int32_t> zeros(kLongPrompt, 0);
    AlignedBuffer<float> out(static_cast<std::size_t>(kLongPrompt * kRows));
    backend.begin_step({zeros, zeros, zeros, 0});
    const LinearTask task = {Tensor(out.data(), kLongPrompt, kRows), &weight};
    backend.linear({&task, 1}, Tensor(x.data(), kLongPrompt, cols));
    backend.end_step();
    for (std::int64_t first = 0; first < kLongPrompt; first += kMostRows - 1) {
      const std::int64_t n = std::min(kMostRows - 1, kLongPrompt - first);
      const std::vector<float> part(x.begin() + first * cols, x.begin() + (first + n) * cols);
      const std::vector<float> found = run(backend, weight, kRows, part, n, 0);
      ASSERT_TRUE(std::equal(found.begin(), found.end(), out.data() + first * kRows))
          << name(type) << " rows from " << first;
    }
  }
}

// Without AVX-512 many rows share decoded weights, in groups of as many as registers hold, and
// columns go in chunks; what is left of each is one by one.
TEST_P(CpuLinear, FloatsGiveManyRowsTheBitsOfOne) {
  constexpr std::int64_t kRows = 45;
  constexpr std::int64_t kInputs = 96 + 2;
  for (const DType type : {DType::f32, DType::f16, DType::bf16, DType::f8_e4m3}) {
    for (const std::int64_t cols : {30, 2 * 512 + 44}) {
      const StoredTensor tensor = stored(type, {kRows, cols});
      const std::vector<float> x = normal(static_cast<std::size_t>(kInputs * cols));
      CpuBackend backend = make(2, kInputs);
      const Weight weight = backend.upload(tensor.host, WeightUse::matrix);
      const std::vector<float> many = run(backend, weight, kRows, x, kInputs, 0);
      for (std::int64_t row = 0; row < kInputs; ++row) {
        const std::vector<float> own(x.begin() + row * cols, x.begin() + (row + 1) * cols);
        const std::vector<float> one = run(backend, weight, kRows, own, 1, 0);
        ASSERT_TRUE(std::equal(one.begin(), one.end(), many.begin() + row * kRows))
            << name(type) << ", " << cols << " columns, row " << row;
      }
      for (std::int64_t n = 2; n < 20; ++n) {  // every way of dividing rows into groups
        const std::vector<float> part(x.begin(), x.begin() + n * cols);
        const std::vector<float> few = run(backend, weight, kRows, part, n, 0);
        ASSERT_TRUE(std::equal(few.begin(), few.end(), many.begin())) << name(type) << ", " << n;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryIsa, CpuLinear, ::testing::ValuesIn(usable_isas()), isa_name);

}  // namespace
}  // namespace pleiad::cpu
