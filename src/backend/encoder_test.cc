// What encoders compute with every backend, against double precision.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "backend/backend_testing.h"
#include "base/error.h"

namespace pleiad {
namespace {

constexpr float kEps = 1e-6F;

/// A row of x, normed, times weight (empty: 1).
std::vector<double> normed(const float* x, std::size_t n, const std::vector<float>& weight) {
  double squares = 0;
  for (std::size_t i = 0; i < n; ++i) squares += static_cast<double>(x[i]) * x[i];
  const double factor = 1 / std::sqrt(squares / static_cast<double>(n) + kEps);
  std::vector<double> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = x[i] * factor * (weight.empty() ? 1 : weight[i]);
  return out;
}

/// Each half of a head turns with a place of its own, in pairs within the half.
std::vector<double> turned(std::vector<double> head, int x, int y,
                           const std::vector<float>& frequencies) {
  const std::size_t pairs = frequencies.size();
  for (std::size_t axis = 0; axis < 2; ++axis) {
    for (std::size_t i = 0; i < pairs; ++i) {
      const double angle = static_cast<double>(axis == 0 ? x : y) * frequencies[i];
      double& a = head[axis * 2 * pairs + i];
      double& b = head[axis * 2 * pairs + pairs + i];
      const double before = a;
      a = before * std::cos(angle) - b * std::sin(angle);
      b = b * std::cos(angle) + before * std::sin(angle);
    }
  }
  return head;
}

class EncoderTest : public BackendTest {
 protected:
  /// Rows of one encoder layer: what attention is given, and what it is to compute.
  struct Rows {
    EncoderKvLayout layout;
    Tensor key;    // before the norm
    Tensor value;  // before the norm
    Tensor query;
    Tensor rope;
    std::vector<float> norm;
  };

  Rows rows(int n_heads, int head_dim, std::int64_t n, KvType type = KvType::f32) {
    Rows made;
    made.layout = {type, n_heads, head_dim, n};
    const std::int64_t cols = std::int64_t{n_heads} * head_dim;
    made.key = random_tensor(n, cols);
    made.value = random_tensor(n, cols);
    made.query = random_tensor(n, cols);
    made.rope = tensor(n, head_dim);
    for (int i = 0; i < head_dim; ++i) {
      made.norm.push_back(0.2F + 0.05F * static_cast<float>(i % 7));
    }
    backend_.rope_table_2d(made.rope, xs(n), ys(n), frequencies(head_dim));
    backend_.reserve_encoder_attention(made.layout);
    return made;
  }

  static std::vector<std::int32_t> xs(std::int64_t n) {
    std::vector<std::int32_t> all;
    for (std::int64_t i = 0; i < n; ++i) all.push_back(static_cast<std::int32_t>(i % 17));
    return all;
  }
  static std::vector<std::int32_t> ys(std::int64_t n) {
    std::vector<std::int32_t> all;
    for (std::int64_t i = 0; i < n; ++i) all.push_back(static_cast<std::int32_t>(i / 17));
    return all;
  }
  static std::vector<float> frequencies(int head_dim) {
    std::vector<float> all;
    for (int i = 0; i < head_dim / 4; ++i) {
      all.push_back(std::pow(100.0F, -4.0F * static_cast<float>(i) / static_cast<float>(head_dim)));
    }
    return all;
  }

  Tensor copy(Tensor x) {
    const Tensor made = tensor(x.rows, x.cols);
    std::copy_n(x.data, x.rows * x.cols, made.data);
    return made;
  }

  /// Stores in calls of `at_once` rows.
  void store(const EncoderKv& kv, const Rows& from, std::int64_t at_once) {
    const Weight norm = vector(from.norm);
    for (std::int64_t row = 0; row < kv.layout.n_rows; row += at_once) {
      const std::int64_t n = std::min(at_once, kv.layout.n_rows - row);
      backend_.store_encoder_kv(kv, row, copy(from.key.from(row).top(n)),
                                copy(from.value.from(row).top(n)), norm, from.rope.from(row), kEps);
    }
  }
  EncoderKv stored(const Rows& from, std::int64_t at_once = 1 << 20) {
    buffers_.push_back(backend_.allocate(backend_.encoder_kv_bytes(from.layout)));
    const EncoderKv kv = {from.layout, buffers_.back()->data()};
    store(kv, from, at_once);
    return kv;
  }

  Tensor attend(const Rows& of, const EncoderKv& kv, std::int64_t at_once = 1 << 20) {
    const Tensor out = tensor(of.query.rows, of.query.cols);
    for (std::int64_t row = 0; row < out.rows; row += at_once) {
      const std::int64_t n = std::min(at_once, out.rows - row);
      backend_.encoder_attention(out.from(row).top(n), of.query.from(row).top(n), kv);
    }
    return out;
  }

  void expect_attended(const Rows& of, Tensor out, double tolerance) {
    const auto d = static_cast<std::size_t>(of.layout.head_dim);
    const auto n = static_cast<std::size_t>(of.layout.n_rows);
    const auto table = frequencies(of.layout.head_dim);
    for (int head = 0; head < of.layout.n_heads; ++head) {
      std::vector<std::vector<double>> keys;
      std::vector<std::vector<double>> values;
      for (std::size_t row = 0; row < n; ++row) {
        const auto at = static_cast<std::int64_t>(row);
        const std::int64_t offset = std::int64_t{head} * of.layout.head_dim;
        keys.push_back(turned(normed(of.key.row(at) + offset, d, of.norm),
                              static_cast<int>(row % 17), static_cast<int>(row / 17), table));
        values.push_back(normed(of.value.row(at) + offset, d, {}));
      }
      for (std::int64_t row = 0; row < of.query.rows; row += row < 3 ? 1 : 29) {
        const float* query = of.query.row(row) + std::int64_t{head} * of.layout.head_dim;
        std::vector<double> weights;
        for (const std::vector<double>& key : keys) {
          double score = 0;
          for (std::size_t i = 0; i < d; ++i) score += query[i] * key[i];
          weights.push_back(score);
        }
        const double most = *std::max_element(weights.begin(), weights.end());
        double total = 0;
        for (double& weight : weights) total += weight = std::exp(weight - most);
        const float* seen = out.row(row) + std::int64_t{head} * of.layout.head_dim;
        for (std::size_t i = 0; i < d; ++i) {
          double expected = 0;
          for (std::size_t key = 0; key < n; ++key)
            expected += weights[key] / total * values[key][i];
          ASSERT_NEAR(seen[i], expected, tolerance)
              << n << " rows, heads of " << d << ", head " << head << ", row " << row;
        }
      }
    }
  }

  static bool same_bits(Tensor a, Tensor b) {
    return std::memcmp(a.data, b.data, static_cast<std::size_t>(a.rows * a.cols) * 4) == 0;
  }
};

TEST_P(EncoderTest, HeadsAreNormedAndTurnedByTwoPlaces) {
  for (const int head_dim : {8, 64, 72}) {
    const auto d = static_cast<std::size_t>(head_dim);
    const Rows made = rows(2, head_dim, 40);
    const Tensor out = copy(made.query);
    backend_.norm_rope_2d(out, vector(made.norm), head_dim, made.rope, kEps);
    for (std::int64_t row = 0; row < 40; ++row) {
      for (std::int64_t head = 0; head < 2; ++head) {
        const auto expected =
            turned(normed(made.query.row(row) + head * head_dim, d, made.norm),
                   static_cast<int>(row % 17), static_cast<int>(row / 17), frequencies(head_dim));
        for (std::size_t i = 0; i < d; ++i) {
          ASSERT_NEAR(out.row(row)[head * head_dim + static_cast<std::int64_t>(i)], expected[i],
                      1e-5)
              << "heads of " << head_dim << ", row " << row << ", value " << i;
        }
      }
    }
  }
}

TEST_P(EncoderTest, EveryRowAttendsToAllRows) {
  for (const int head_dim : {8, 16, 64, 72, 100}) {
    for (const std::int64_t n : {1, 16, 31, 33, 300}) {
      const Rows made = rows(2, head_dim, n);
      expect_attended(made, attend(made, stored(made)), 1e-5);
    }
  }
}

// Only a matrix unit rounds.
TEST_P(EncoderTest, KeysAndValuesMayBeRoundedWhereItIsQuicker) {
  const double tolerance = GetParam().isa == "amx" ? 2e-2 : 1e-5;
  for (const int head_dim : {64, 72}) {
    for (const std::int64_t n : {1, 33, 290}) {
      const Rows made = rows(3, head_dim, n, KvType::bf16);
      expect_attended(made, attend(made, stored(made)), tolerance);
    }
  }
}

TEST_P(EncoderTest, NoBitDependsOnHowRowsAreCutNorOnThreads) {
  for (const KvType type : {KvType::f32, KvType::bf16}) {
    const Rows made = rows(2, 72, 161, type);
    const EncoderKv kv = stored(made);
    const Tensor whole = attend(made, kv);
    EXPECT_TRUE(same_bits(attend(made, stored(made, 7)), whole));
    for (const std::int64_t at_once : {1, 13, 48, 130}) {
      EXPECT_TRUE(same_bits(attend(made, kv, at_once), whole)) << at_once << " at once";
    }
    cpu::CpuBackend other({.isa = GetParam().isa, .n_threads = 1, .max_rows = 80});
    other.reserve_encoder_attention(made.layout);
    const Tensor out = tensor(made.query.rows, made.query.cols);
    other.encoder_attention(out, made.query, kv);
    EXPECT_TRUE(same_bits(out, whole)) << "one thread";
  }
}

TEST_P(EncoderTest, WhatWasKeptBeforeDoesNotMatter) {
  for (const KvType type : {KvType::f32, KvType::bf16}) {
    const Rows made = rows(2, 72, 70, type);
    const Tensor expected = attend(made, stored(made));
    buffers_.push_back(backend_.allocate(backend_.encoder_kv_bytes(made.layout)));
    std::memset(buffers_.back()->data(), 0xFF, buffers_.back()->size());  // no numbers
    const EncoderKv kv = {made.layout, buffers_.back()->data()};
    store(kv, made, 64);
    EXPECT_TRUE(same_bits(attend(made, kv), expected));
  }
}

TEST_P(EncoderTest, LargeScoresDoNotOverflow) {
  const Rows made = rows(1, 16, 600);
  for (std::int64_t i = 0; i < made.query.rows * made.query.cols; ++i) made.query.data[i] *= 100.0F;
  expect_attended(made, attend(made, stored(made)), 2e-3);
}

TEST_P(EncoderTest, MemoryIsProportionalToTheRows) {
  for (const KvType type : {KvType::f32, KvType::bf16}) {
    const auto bytes = [&](std::int64_t n) { return backend_.encoder_kv_bytes({type, 12, 64, n}); };
    EXPECT_EQ(bytes(10240), 4 * bytes(2560));
    EXPECT_LE(bytes(2560), std::size_t{2560} * 12 * 64 * 2 * 4);
  }
}

TEST_P(EncoderTest, RowsThatDoNotFitAreRefused) {
  const Rows made = rows(2, 16, 20);
  const EncoderKv kv = stored(made);
  const Weight norm = vector(made.norm);
  EXPECT_THROW(backend_.store_encoder_kv(kv, 1, made.key, made.value, norm, made.rope, kEps),
               InternalError);
  EXPECT_THROW(backend_.encoder_attention(made.query.columns(0, 16), made.query.columns(0, 16), kv),
               InternalError);
}

INSTANTIATE_TEST_SUITE_P(EveryCpu, EncoderTest, ::testing::ValuesIn(variants()), variant_name);

}  // namespace
}  // namespace pleiad
