// The kernels of the cache and of attention over it, against double precision.

#include <array>
#include <limits>

#include "backend/cpu/attention_testing.h"
#include "backend/cpu/kernels_testing.h"

namespace pleiad::cpu {
namespace {

class AttentionKernels : public KernelsTest {
 protected:
  struct Query {
    std::vector<float> values;
    std::int64_t first;
    std::int64_t last;
  };

  struct Result {
    std::vector<float> out;  // normalized
    float maximum;
    float total;
  };

  std::vector<Result> attend(const CachedSequence& cache, std::span<const Query> queries) {
    const auto d = static_cast<std::size_t>(cache.layout.head_dim);
    std::vector<std::vector<float>> out(queries.size(), std::vector<float>(d, -7.0F));
    std::array<float, kernels::kMaxQueries> maximum = {};
    std::array<float, kernels::kMaxQueries> total = {};
    std::vector<float> scratch(
        static_cast<std::size_t>(kernels::kMaxQueries * cache.layout.page_tokens));
    kernels::AttentionArgs args = {};
    args.n_queries = static_cast<int>(queries.size());
    args.pages = cache.pages.data();
    args.key_offset = cache.layout.key_offset;
    args.value_offset = cache.layout.value_offset;
    args.type = kernel_type(cache.layout.type);
    args.page_tokens = cache.layout.page_tokens;
    args.head_dim = cache.layout.head_dim;
    for (std::size_t q = 0; q < queries.size(); ++q) {
      args.queries[q] = queries[q].values.data();
      args.first[q] = queries[q].first;
      args.last[q] = queries[q].last;
      args.out[q] = out[q].data();
    }
    args.maximum = maximum.data();
    args.total = total.data();
    kernels_.attention(args, scratch.data());
    std::vector<Result> results;
    for (std::size_t q = 0; q < queries.size(); ++q) {
      for (float& value : out[q]) value /= total[q];
      results.push_back({out[q], maximum[q], total[q]});
    }
    return results;
  }

  CachedSequence sequence(KvType type, int page_tokens, int head_dim, std::size_t n) {
    const std::size_t size = n * static_cast<std::size_t>(head_dim);
    return {kernels_, type, page_tokens, head_dim, normal(size, 0.7F), normal(size)};
  }
};

TEST_P(AttentionKernels, MatchDoublePrecisionForQueriesThatShareKeys) {
  for (const KvType type : kKvTypes) {
    for (const auto& [page_tokens, head_dim] :
         {std::pair{16, 16}, {16, 48}, {16, 32}, {48, 64}, {64, 96}, {32, 256}}) {
      if (kv_bytes(type, 32) % 32 != 0 && head_dim % 32 != 0) continue;  // scales for 32 values
      const CachedSequence cache = sequence(type, page_tokens, head_dim, 150);
      for (int n_queries = 1; n_queries <= kernels::kMaxQueries; ++n_queries) {
        std::vector<Query> queries;
        for (int q = 0; q < n_queries; ++q) {
          const auto last = static_cast<std::int64_t>(random_() % 150);
          const std::int64_t first =
              random_() % 3 == 0 ? 0 : static_cast<std::int64_t>(random_()) % (last + 1);
          queries.push_back({normal(static_cast<std::size_t>(head_dim)), first, last});
        }
        const std::vector<Result> results = attend(cache, queries);
        for (std::size_t q = 0; q < queries.size(); ++q) {
          const auto expected =
              cache.attended(queries[q].values.data(), queries[q].first, queries[q].last);
          for (std::size_t i = 0; i < expected.size(); ++i) {
            // Scores reach 40, where one place of f32 is 4e-6.
            ASSERT_NEAR(results[q].out[i], expected[i], 4e-5)
                << "type " << static_cast<int>(type) << " head_dim " << head_dim << " query " << q
                << " of " << n_queries << " from " << queries[q].first << " to " << queries[q].last;
          }
        }
      }
    }
  }
}

TEST_P(AttentionKernels, GiveEachQueryTheSameBitsWhateverItsCompany) {
  for (const KvType type : kKvTypes) {
    const CachedSequence cache = sequence(type, 32, 96, 140);
    std::vector<Query> queries;
    for (const auto& [first, last] :
         {std::pair{0, 139}, {0, 0}, {139, 139}, {31, 32}, {64, 95}, {5, 100}, {96, 96}, {0, 63}}) {
      queries.push_back({normal(96), first, last});
    }
    std::vector<Result> alone;
    for (const Query& query : queries) alone.push_back(attend(cache, {&query, 1}).front());
    for (std::size_t first = 0; first < queries.size(); ++first) {
      for (std::size_t n = 1; first + n <= queries.size(); ++n) {
        const auto together = attend(cache, std::span(queries).subspan(first, n));
        for (std::size_t q = 0; q < n; ++q) {
          ASSERT_EQ(together[q].out, alone[first + q].out) << first << " " << n << " " << q;
          ASSERT_EQ(together[q].maximum, alone[first + q].maximum);
          ASSERT_EQ(together[q].total, alone[first + q].total);
        }
      }
    }
  }
}

TEST_P(AttentionKernels, StandScoresOfAnySize) {
  const CachedSequence cache = sequence(KvType::f32, 16, 32, 40);
  for (const float size : {0.0F, 1e-20F, 100.0F, 1e4F}) {
    const Query query = {normal(32, size), 0, 39};
    const Result result = attend(cache, {&query, 1}).front();
    const std::vector<double> expected = cache.attended(query.values.data(), 0, 39);
    for (std::size_t i = 0; i < 32; ++i) {
      // Scores of 1e5 have an error of 0.01 in f32.
      ASSERT_NEAR(result.out[i], expected[i], size > 1e3F ? 0.1 : 2e-4) << size;
    }
  }
}

TEST_P(AttentionKernels, CacheRoundsToNearestEven) {
  std::vector<float> x = normal(97, 3.0F);
  const std::vector<float> edges = {0.0F,
                                    -0.0F,
                                    65504.0F,
                                    65520.0F,
                                    1e-8F,
                                    6e-8F,
                                    -6.1e-5F,
                                    1.0F,
                                    1e30F,
                                    -1e30F,
                                    3e-5F,
                                    2.98e-8F,
                                    1.00390625F,
                                    std::numeric_limits<float>::infinity(),
                                    std::numeric_limits<float>::quiet_NaN()};
  x.insert(x.end(), edges.begin(), edges.end());
  const auto n = static_cast<int>(x.size());
  for (const KvType type : {KvType::f32, KvType::f16, KvType::bf16}) {
    const CachedSequence cache(kernels_, type, 16, n, x, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float expected = type == KvType::f32   ? x[i]
                             : type == KvType::f16 ? f32_from_f16(f16_from_f32(x[i]))
                                                   : f32_from_bf16(bf16_from_f32(x[i]));
      for (const double found : {cache.keys[0][i], cache.values[0][i]}) {
        EXPECT_TRUE(found == static_cast<double>(expected) ||
                    (std::isnan(found) && std::isnan(expected)))
            << x[i] << " became " << found;
      }
    }
  }
}

TEST_P(AttentionKernels, QuantizedCacheIsWithinHalfAStep) {
  std::vector<float> x = normal(32 * 8);
  for (std::size_t i = 0; i < 32; ++i) {
    x[32 + i] = 0.0F;
    x[64 + i] = i == 9 ? -3.0F : 1e-3F;
    x[96 + i] = i % 2 == 0 ? 5.0F : -5.0F;
    x[128 + i] *= 1e-6F;
    x[160 + i] *= 1e4F;
  }
  for (const KvType type : {KvType::q8_0, KvType::q4_0}) {
    const CachedSequence cache(kernels_, type, 16, 256, x, x);
    for (std::size_t group = 0; group < 8; ++group) {
      double largest = 0;
      for (std::size_t i = 0; i < 32; ++i) {
        largest = std::max(largest, std::abs(static_cast<double>(x[32 * group + i])));
      }
      // Q4_0 reaches 8 steps to the side of the largest magnitude, 7 to the other.
      const double step = type == KvType::q8_0 ? largest / 127 / 2 : largest / 8;
      for (std::size_t i = 32 * group; i < 32 * group + 32; ++i) {
        const double tolerance = step * 1.01 + 127 * 0x1p-25;  // a scale may be denormal
        EXPECT_NEAR(cache.keys[0][i], x[i], tolerance) << i;
        EXPECT_EQ(cache.values[0][i], cache.keys[0][i]) << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryIsa, AttentionKernels, ::testing::ValuesIn(usable_isas()), isa_name);

}  // namespace
}  // namespace pleiad::cpu
