// One suite for every backend.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

#include "backend/backend_testing.h"
#include "base/error.h"
#include "tensor/float16.h"

namespace pleiad {
namespace {

TEST_P(BackendTest, BuffersAreZeroWhenTheyAreHandedOut) {
  for (const std::size_t bytes : {std::size_t{100}, (std::size_t{5} << 20) + 12}) {
    for (const Taken taken : {Taken::at_once, Taken::when_written}) {
      const auto buffer = backend_.allocate(bytes, taken);
      ASSERT_EQ(buffer->size(), bytes);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer->data()) % 64, 0U);
      EXPECT_TRUE(std::all_of(buffer->data(), buffer->data() + bytes,
                              [](std::byte value) { return value == std::byte{0}; }));
      std::memset(buffer->data(), 1, bytes);
    }
  }
}

TEST_P(BackendTest, LinearRunsSeveralWeightsOverOneInput) {
  const Tensor x = random_tensor(5, 7);
  const Tensor values = random_tensor(1, 40 * 7);
  const std::vector<float> host(values.data, values.data + 40 * 7);
  const Weight first = matrix(host, {40, 7});
  const std::vector<float> part(host.begin() + 7, host.begin() + 7 * 4);
  const Weight second = matrix(part, {3, 7});
  const Tensor out = tensor(5, 40);
  const Tensor few = tensor(5, 3);
  const std::array tasks = {LinearTask{out, &first}, LinearTask{few, &second}};
  backend_.linear(tasks, x);
  for (std::int64_t row = 0; row < 5; ++row) {
    for (std::int64_t r = 0; r < 40; ++r) {
      double sum = 0;
      for (std::int64_t k = 0; k < 7; ++k) {
        sum += static_cast<double>(host[static_cast<std::size_t>(r * 7 + k)]) * x.row(row)[k];
      }
      EXPECT_NEAR(out.row(row)[r], sum, 1e-5);
    }
    for (std::int64_t r = 0; r < 3; ++r) EXPECT_EQ(few.row(row)[r], out.row(row)[r + 1]);
  }
}

// A prompt's feed-forward may stay in the matrix unit's own form from end to end; it
// computes what the three products and the gate compute one by one.
TEST_P(BackendTest, FeedForwardIsItsPartsOneByOne) {
  struct Size {
    std::int64_t dim;
    std::int64_t hidden;
    std::int64_t rows;
  };
  const auto upload = [&](DType type, std::int64_t rows, std::int64_t cols,
                          std::vector<std::uint16_t> values) {
    HostTensor host;
    host.dtype = type;
    host.shape = {rows, cols};
    kept_.push_back(std::move(values));
    host.data = std::as_bytes(std::span(kept_.back()));
    return backend_.upload(host, WeightUse::matrix);
  };
  const auto bf16_weight = [&](std::int64_t rows, std::int64_t cols) {
    std::vector<std::uint16_t> values(static_cast<std::size_t>(rows * cols));
    std::normal_distribution<float> distribution(0.0F, 0.1F);
    for (std::uint16_t& value : values) value = bf16_from_f32(distribution(random_));
    return upload(DType::bf16, rows, cols, std::move(values));
  };
  // Blocks of a scale between 2^-9 and 2^-8, and 32 bytes.
  const auto q8_0_weight = [&](std::int64_t rows, std::int64_t cols) {
    std::vector<std::uint16_t> values(static_cast<std::size_t>(rows * cols / 32 * 17));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto bits = static_cast<std::uint16_t>(random_());
      values[i] = i % 17 == 0 ? static_cast<std::uint16_t>(0x1800 | (bits & 0x3FF)) : bits;
    }
    return upload(DType::q8_0, rows, cols, std::move(values));
  };
  // The others are cut into chunks of columns, and into several pairs of row blocks; the
  // last are unpacked for the matrix unit.
  for (const Size& size : {Size{70, 300, 13}, Size{530, 600, 75}, Size{544, 608, 75}}) {
    const bool is_q8_0 = size.dim % 32 == 0;
    const auto weight = [&](std::int64_t rows, std::int64_t cols) {
      return is_q8_0 ? q8_0_weight(rows, cols) : bf16_weight(rows, cols);
    };
    const Weight gate = weight(size.hidden, size.dim);
    const Weight up = weight(size.hidden, size.dim);
    const Weight down = weight(size.dim, size.hidden);
    const Tensor x = random_tensor(size.rows, size.dim);
    const Tensor gated = tensor(size.rows, size.hidden);
    const Tensor upped = tensor(size.rows, size.hidden);
    const std::vector<std::int32_t> zeros(static_cast<std::size_t>(size.rows), 0);
    for (const std::int64_t n_generated : {std::int64_t{0}, std::int64_t{3}, size.rows}) {
      backend_.begin_step({zeros, zeros, zeros, n_generated});
      const Tensor expected = tensor(size.rows, size.dim);
      const std::array tasks = {LinearTask{gated, &gate}, LinearTask{upped, &up}};
      backend_.linear(tasks, x);
      backend_.gated_gelu(gated, upped);
      const LinearTask last = {expected, &down};
      backend_.linear({&last, 1}, gated);
      const Tensor out = tensor(size.rows, size.dim);
      backend_.feed_forward(out, x, {&gate, &up, &down}, gated, upped);
      backend_.end_step();
      for (std::int64_t i = 0; i < size.rows * size.dim; ++i) {
        ASSERT_EQ(out.data[i], expected.data[i])
            << size.rows << " rows, " << n_generated << " generated, value " << i;
      }
    }
  }
}

TEST_P(BackendTest, LinearRefusesShapesThatDoNotFit) {
  const std::vector<float> values(12);
  const Weight weight = matrix(values, {3, 4});
  const LinearTask task = {tensor(2, 3), &weight};
  EXPECT_THROW(backend_.linear({&task, 1}, tensor(2, 5)), InternalError);
}

TEST_P(BackendTest, UploadReadsUnalignedFileBytes) {
  std::vector<std::byte> bytes(1 + 8 * sizeof(float));
  const std::vector<float> values = {1, 2, 3, 4, 5, 6, 7, 8};
  std::memcpy(bytes.data() + 1, values.data(), 8 * sizeof(float));
  HostTensor host;
  host.shape = {2, 4};
  host.data = std::span(bytes).subspan(1);
  const Weight weight = backend_.upload(host, WeightUse::matrix);
  const Tensor x = tensor(1, 4);
  for (int i = 0; i < 4; ++i) x.data[i] = 1.0F;
  const Tensor out = tensor(1, 2);
  const LinearTask task = {out, &weight};
  backend_.linear({&task, 1}, x);
  EXPECT_EQ(out.data[0], 10.0F);
  EXPECT_EQ(out.data[1], 26.0F);
}

TEST_P(BackendTest, EmbedGathersScaledRowsOfTheStepsTokens) {
  std::vector<float> table(6 * 4);
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<float>(i);
  const Weight weight = matrix(table, {6, 4}, WeightUse::table);
  const std::vector<std::int32_t> tokens = {5, 0, 5};
  const std::vector<std::int32_t> zeros(3, 0);
  backend_.begin_step({tokens, zeros, zeros});
  const Tensor out = tensor(3, 2);
  backend_.embed(out, weight, 1, 0.5F);
  EXPECT_EQ(out.row(0)[0], 10.5F);
  EXPECT_EQ(out.row(0)[1], 11.0F);
  EXPECT_EQ(out.row(1)[0], 0.5F);
  EXPECT_EQ(out.row(2)[1], 11.0F);
}

TEST_P(BackendTest, EmbedGathersOnlyTheRowsThatAreKept) {
  std::vector<float> table(6 * 4);
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<float>(i);
  const Weight weight = matrix(table, {6, 4}, WeightUse::table);
  const std::vector<std::int32_t> tokens = {5, 0, 3, 2};
  const std::vector<std::int32_t> zeros(4, 0);
  const std::vector<std::int32_t> kept = {1, 2};
  backend_.begin_step({tokens, zeros, zeros});
  backend_.keep_rows(kept, 0);
  const Tensor out = tensor(2, 3);
  backend_.embed(out, weight, 0, 1.0F);
  EXPECT_EQ(out.row(0)[2], 2.0F);
  EXPECT_EQ(out.row(1)[0], 12.0F);
}

TEST_P(BackendTest, RowsMayBeExpectedInAnyOrderAndMoreThanOnce) {
  std::vector<float> table(3000 * 8);
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<float>(i);
  const Weight weight = matrix(table, {3000, 8}, WeightUse::table);
  const std::vector<std::int32_t> tokens = {2999, 0, 7, 1500, 7, 1501};
  const std::vector<std::int32_t> zeros(6, 0);
  backend_.begin_step({tokens, zeros, zeros});
  backend_.expect_rows(weight, tokens, 0, 8);
  backend_.expect_rows(weight, std::span(tokens).first(1), 5, 3);
  backend_.expect_rows(weight, {}, 0, 8);
  EXPECT_THROW(backend_.expect_rows(weight, tokens, 1, 8), InternalError);
  const std::vector<std::int32_t> beyond = {3000};
  EXPECT_THROW(backend_.expect_rows(weight, beyond, 0, 8), InternalError);
  const Tensor out = tensor(6, 8);
  backend_.embed(out, weight, 0, 1.0F);
  EXPECT_EQ(out.row(0)[7], 23999.0F);
  EXPECT_EQ(out.row(4)[0], 56.0F);
}

TEST_P(BackendTest, ValueThatIsTheKeyIsStoredBeforeTheKeyIsTurned) {
  constexpr std::size_t kHeadDim = 16;
  constexpr std::size_t kPageTokens = 32;
  constexpr std::size_t kSlot = 18;
  KvLayout layout;
  layout.type = KvType::f32;
  layout.page_tokens = kPageTokens;
  layout.n_kv_heads = 2;
  layout.head_dim = kHeadDim;
  layout.value_offset = layout.block_bytes();
  const auto page = backend_.allocate(2 * layout.block_bytes());
  std::byte* pages[] = {nullptr, page->data()};
  const PageTable tables[] = {pages};
  const std::vector<std::int32_t> tokens = {0};
  const std::vector<std::int32_t> positions = {kPageTokens + kSlot};
  const std::vector<std::int32_t> sequences = {0};
  backend_.begin_step({tokens, positions, sequences});
  const std::vector<float> frequencies = {0.5F};
  const Tensor rope = tensor(1, 2);
  backend_.rope_table(rope, frequencies);
  EXPECT_FLOAT_EQ(rope.data[0], std::cos(25.0F));
  EXPECT_FLOAT_EQ(rope.data[1], std::sin(25.0F));

  const Tensor key = random_tensor(1, 2 * kHeadDim);
  const std::vector<float> raw(key.data, key.data + 2 * kHeadDim);
  std::vector<float> factors(kHeadDim);
  for (std::size_t i = 0; i < kHeadDim; ++i) factors[i] = static_cast<float>(i + 1);
  const Weight norm = vector(factors);
  backend_.store_kv({layout, tables}, key, key, norm, rope, 0.0F);
  const auto* cached = reinterpret_cast<const float*>(page->data());
  for (std::size_t head = 0; head < 2; ++head) {
    const float* x = raw.data() + head * kHeadDim;
    double squares = 0;
    for (std::size_t i = 0; i < kHeadDim; ++i) squares += static_cast<double>(x[i]) * x[i];
    const auto factor = static_cast<float>(1 / std::sqrt(squares / kHeadDim));
    // Keys lie [head_dim][page_tokens], values [page_tokens][head_dim].
    const float* keys = cached + head * kHeadDim * kPageTokens;
    const float* v = cached + (2 + head) * kHeadDim * kPageTokens + kSlot * kHeadDim;
    const auto k = [&](std::size_t i) { return keys[i * kPageTokens + kSlot]; };
    for (std::size_t i = 0; i < kHeadDim; ++i) EXPECT_NEAR(v[i], x[i] * factor, 1e-5);
    const float a = x[0] * factor;
    const float b = x[8] * factor * 9;
    EXPECT_NEAR(k(0), a * std::cos(25.0F) - b * std::sin(25.0F), 2e-5);
    EXPECT_NEAR(k(8), b * std::cos(25.0F) + a * std::sin(25.0F), 2e-5);
    EXPECT_NEAR(k(1), x[1] * factor * 2, 1e-5);
    EXPECT_NEAR(k(15), x[15] * factor * 16, 2e-5);
  }
}

TEST_P(BackendTest, ExpertsGiveEachRowTheSameBitsAloneAndTogether) {
  const int n_experts = 5;
  const int ffn = 6;
  const int dim = 8;
  std::normal_distribution<float> normal;
  const auto values = [&](std::size_t n) {
    std::vector<float> v(n);
    for (float& x : v) x = normal(random_);
    return v;
  };
  const std::vector<float> gate_up = values(static_cast<std::size_t>(n_experts * 2 * ffn * dim));
  const std::vector<float> down = values(static_cast<std::size_t>(n_experts * dim * ffn));
  const std::vector<float> scale = {1.0F, 0.5F, 2.0F, 1.5F, 0.25F};
  const Weight gate_up_weight = matrix(gate_up, {n_experts, 2 * ffn, dim});
  const Weight down_weight = matrix(down, {n_experts, dim, ffn});
  const Weight scale_weight = vector(scale);
  ExpertWeights weights;
  weights.gate_up = &gate_up_weight;
  weights.down = &down_weight;
  weights.scale = &scale_weight;
  weights.n_experts = n_experts;
  weights.n_used = 2;
  weights.ffn_dim = ffn;
  backend_.reserve_experts(dim, weights);
  const Tensor x = random_tensor(7, dim);
  const Tensor router = random_tensor(7, n_experts);
  const Tensor out = tensor(7, dim);
  backend_.experts(out, x, router, weights);
  for (std::int64_t row = 0; row < 7; ++row) {
    const Tensor alone = tensor(1, dim);
    backend_.experts(alone, Tensor(x.row(row), 1, dim), Tensor(router.row(row), 1, n_experts),
                     weights);
    // And against the definition, in double precision.
    std::vector<int> order = {0, 1, 2, 3, 4};
    std::sort(order.begin(), order.end(),
              [&](int a, int b) { return router.row(row)[a] > router.row(row)[b]; });
    const double e0 = std::exp(router.row(row)[order[0]]);
    const double e1 = std::exp(router.row(row)[order[1]]);
    std::vector<double> expected(dim, 0.0);
    for (int slot = 0; slot < 2; ++slot) {
      const int e = order[static_cast<std::size_t>(slot)];
      const double share = (slot == 0 ? e0 : e1) / (e0 + e1) * scale[static_cast<std::size_t>(e)];
      std::vector<double> hidden(ffn);
      for (int f = 0; f < ffn; ++f) {
        double g = 0;
        double u = 0;
        for (int k = 0; k < dim; ++k) {
          g += gate_up[static_cast<std::size_t>((e * 2 * ffn + f) * dim + k)] * x.row(row)[k];
          u += gate_up[static_cast<std::size_t>((e * 2 * ffn + ffn + f) * dim + k)] * x.row(row)[k];
        }
        hidden[static_cast<std::size_t>(f)] =
            0.5 * g *
            (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (g + 0.044715 * g * g * g))) * u;
        const Tensor seen = backend_.expert_hidden(1, weights);  // in ascending order of expert
        EXPECT_NEAR(seen.row(e > order[1 - static_cast<std::size_t>(slot)] ? 1 : 0)[f],
                    hidden[static_cast<std::size_t>(f)], 2e-4);
      }
      for (int k = 0; k < dim; ++k) {
        for (int f = 0; f < ffn; ++f) {
          expected[static_cast<std::size_t>(k)] +=
              share * down[static_cast<std::size_t>((e * dim + k) * ffn + f)] *
              hidden[static_cast<std::size_t>(f)];
        }
      }
    }
    for (int k = 0; k < dim; ++k) {
      EXPECT_EQ(alone.data[k], out.row(row)[k]);
      EXPECT_NEAR(out.row(row)[k], expected[static_cast<std::size_t>(k)], 2e-4);
    }
  }
}

// Of a view: its rows are further apart than they are long.
TEST_P(BackendTest, LogitsAreReadAndCappedWholeHoweverManyThereAre) {
  constexpr std::int64_t kRows = 3;
  constexpr std::int64_t kCols = 2 * 8192 + 5;
  const Tensor wide = random_tensor(kRows, kCols + 11);
  const Tensor logits = wide.columns(4, kCols);
  std::vector<float> before(static_cast<std::size_t>(kRows * (kCols + 11)));
  std::copy_n(wide.data, before.size(), before.data());
  constexpr float kCap = 2.0F;
  backend_.softcap(logits, kCap);
  std::vector<float> host(static_cast<std::size_t>(kRows * kCols));
  backend_.read(host, logits);
  for (std::int64_t row = 0; row < kRows; ++row) {
    for (std::int64_t col = 0; col < kCols + 11; ++col) {
      const float x = before[static_cast<std::size_t>(row * (kCols + 11) + col)];
      const bool inside = col >= 4 && col < kCols + 4;
      const float expected = inside ? kCap * std::tanh(x / kCap) : x;
      ASSERT_NEAR(wide.row(row)[col], expected, inside ? 1e-6F : 0.0F) << row << " " << col;
      if (inside) {
        ASSERT_EQ(host[static_cast<std::size_t>(row * kCols + col - 4)], wide.row(row)[col])
            << row << " " << col;
      }
    }
  }
}

TEST_P(BackendTest, GatherRowsMayMoveRowsUpInPlace) {
  const Tensor x = random_tensor(6, 3);
  const std::vector<float> before(x.data, x.data + 18);
  const std::vector<std::int32_t> rows = {1, 4, 5};
  backend_.gather_rows(x.top(3), x, rows);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(x.data[i * 3 + k], before[static_cast<std::size_t>(rows[i]) * 3 + k]);
    }
  }
}

// A view, whose rows are further apart than they are long.
TEST_P(BackendTest, WriteIsTheCounterpartOfRead) {
  const Tensor wide = tensor(3, 9000);
  const Tensor part = wide.columns(2, 8500);
  std::vector<float> host(3 * 8500);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<float>(i + 1);
  backend_.write(part, host);
  EXPECT_EQ(wide.row(1)[1], 0.0F);
  EXPECT_EQ(wide.row(1)[2], 8501.0F);
  EXPECT_EQ(wide.row(2)[8501], 25500.0F);
  EXPECT_EQ(wide.row(2)[8502], 0.0F);
  std::vector<float> again(host.size());
  backend_.read(again, part);
  EXPECT_EQ(again, host);
  EXPECT_THROW(backend_.write(wide, host), InternalError);
}

TEST_P(BackendTest, ClampBoundsWhatIsANumber) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr std::int64_t kCols = 37;
  const Tensor x = random_tensor(2, kCols);
  x.row(0)[3] = kInfinity;
  x.row(0)[20] = -kInfinity;
  x.row(1)[36] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> before(x.data, x.data + 2 * kCols);
  const Tensor out = tensor(2, kCols);
  backend_.clamp(out, x, -0.5F, 0.25F);
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (i == before.size() - 1) {
      EXPECT_TRUE(std::isnan(out.data[i]));
    } else {
      EXPECT_EQ(x.data[i], before[i]);
      EXPECT_EQ(out.data[i], std::clamp(before[i], -0.5F, 0.25F)) << i;
    }
  }
  backend_.clamp(x, x, -kInfinity, kInfinity);
  EXPECT_EQ(std::memcmp(x.data, before.data(), before.size() * sizeof(float)), 0);
  backend_.clamp(x, x, -0.5F, 0.25F);
  EXPECT_EQ(std::memcmp(x.data, out.data, before.size() * sizeof(float)), 0);
}

INSTANTIATE_TEST_SUITE_P(EveryCpu, BackendTest, ::testing::ValuesIn(variants()), variant_name);

}  // namespace
}  // namespace pleiad
