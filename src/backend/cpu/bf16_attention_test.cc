// Attention over a cache in bf16: on the matrix unit where there is one, of a prompt's rows
// and of tokens that are generated.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "backend/cpu/attention_testing.h"
#include "backend/cpu/cpu_backend.h"
#include "base/testing/sanitizers.h"

namespace pleiad::cpu {
namespace {

constexpr std::int64_t kMaxBf16Rows = 64;

enum class Phase : std::uint8_t { prompt, generation };
constexpr Phase kPhases[] = {Phase::prompt, Phase::generation};

class Bf16AttentionTest : public ::testing::TestWithParam<Isa> {
 protected:
  std::vector<float> normal(std::size_t n, float deviation = 1.0F) {
    std::normal_distribution<float> distribution;
    std::vector<float> values(n);
    for (float& value : values) value = deviation * distribution(random_);
    return values;
  }

  CachedSequence sequence(int page_tokens, int head_dim, const std::vector<float>& keys,
                          const std::vector<float>& values) const {
    return {kernels_for(GetParam()), KvType::bf16, page_tokens, head_dim, keys, values};
  }

  /// One sequence's rows at these positions; [position][head][head_dim].
  std::vector<float> attend(const CachedSequence& cache, std::span<const std::int32_t> positions,
                            std::span<const float> queries, int window, int n_threads,
                            Phase phase) {
    auto& backend = backends_[n_threads];
    if (!backend) backend = backend_of(GetParam(), n_threads);
    return attend(*backend, cache, positions, queries, window, phase);
  }

  static std::unique_ptr<CpuBackend> backend_of(Isa isa, int n_threads) {
    auto backend = std::make_unique<CpuBackend>(CpuOptions{
        .isa = std::string(name(isa)), .n_threads = n_threads, .max_rows = kMaxBf16Rows});
    backend->reserve_attention(16, 512);
    return backend;
  }

  static std::vector<float> attend(CpuBackend& backend, const CachedSequence& cache,
                                   std::span<const std::int32_t> positions,
                                   std::span<const float> queries, int window, Phase phase) {
    const auto n = static_cast<std::int64_t>(positions.size());
    const std::int64_t cols = static_cast<std::int64_t>(queries.size()) / n;
    const std::vector<std::int32_t> zeros(positions.size(), 0);
    const PageTable tables[] = {cache.pages};
    std::vector<float> query(queries.begin(), queries.end());
    std::vector<float> out(queries.size(), -5.0F);
    backend.begin_step({zeros, positions, zeros, phase == Phase::generation ? n : 0});
    backend.attention(Tensor(out.data(), n, cols), Tensor(query.data(), n, cols),
                      {cache.layout, tables}, window);
    backend.end_step();
    return out;
  }

  static std::vector<std::int32_t> counted(std::int32_t first, std::int32_t n) {
    std::vector<std::int32_t> positions;
    for (std::int32_t i = 0; i < n; ++i) positions.push_back(first + i);
    return positions;
  }

  std::mt19937 random_{11};

 private:
  std::map<int, std::unique_ptr<CpuBackend>> backends_;
};

TEST_P(Bf16AttentionTest, MatchesDoublePrecision) {
  // Scores reach 25. f32 has an error of 2.1e-5 at most here; the matrix unit, which
  // gets queries to 17 bits, one of 6.9e-5 for prompts and 6.7e-5 for generated tokens.
  const double tolerance = GetParam() == Isa::amx ? 1e-4 : 4e-5;
  const std::vector<std::int32_t> positions = {0, 1, 15, 17, 254, 255, 256, 257, 511, 513, 600};
  struct Case {
    int page_tokens;
    int head_dim;
    std::vector<std::size_t> group_sizes;
  };
  for (const Case& test : {Case{16, 32, {1, 5, 8}},
                           {32, 32, {1, 9}},
                           {480, 32, {5}},
                           {48, 96, {1, 5, 8}},
                           {64, 96, {5, 16}},
                           {32, 288, {1, 5, 8}},
                           {64, 256, {1, 5, 8}},
                           {64, 512, {1, 5, 8}}}) {
    const auto d = static_cast<std::size_t>(test.head_dim);
    const CachedSequence cache =
        sequence(test.page_tokens, test.head_dim,
                 normal(601 * d, 16.0F / std::sqrt(test.head_dim * 8.0F)), normal(601 * d));
    for (const std::size_t group : test.group_sizes) {
      const std::vector<float> queries = normal(positions.size() * group * d);
      for (const int window : {0, 1, 33, 512}) {
        if (kSanitized && window != 0 && window != 33) continue;
        std::vector<float> outs[2];
        for (const Phase phase : kPhases) {
          outs[static_cast<int>(phase)] = attend(cache, positions, queries, window, 2, phase);
        }
        for (std::size_t i = 0; i < positions.size() * group; ++i) {
          const std::int64_t last = positions[i / group];
          const std::int64_t first = window > 0 ? std::max<std::int64_t>(0, last - window + 1) : 0;
          const auto expected = cache.attended(queries.data() + i * d, first, last);
          for (const Phase phase : kPhases) {
            for (std::size_t k = 0; k < d; ++k) {
              ASSERT_NEAR(outs[static_cast<int>(phase)][i * d + k], expected[k], tolerance)
                  << "phase " << static_cast<int>(phase) << ", head_dim " << d << ", window "
                  << window << ", position " << last;
            }
          }
        }
      }
    }
  }
}

TEST_P(Bf16AttentionTest, CompanyAndThreadsChangeNoBit) {
  for (const int page_tokens : {16, 64}) {
    constexpr int kDim = 64;
    constexpr std::size_t kHeads = 8;
    const std::vector<float> keys = normal(560 * kDim, 0.5F);
    const std::vector<float> values = normal(560 * kDim);
    const CachedSequence cache = sequence(page_tokens, kDim, keys, values);
    const std::vector<float> queries = normal(560 * kHeads * kDim);
    const auto rows = [&](std::int32_t first, std::int32_t n) {
      return std::span(queries).subspan(static_cast<std::size_t>(first) * kHeads * kDim,
                                        static_cast<std::size_t>(n) * kHeads * kDim);
    };
    // Nothing but these positions is even a number.
    const auto filled = [&](std::int32_t first, std::int32_t end) {
      std::vector<float> parts[] = {keys, values};
      for (std::vector<float>& part : parts) {
        std::fill_n(part.begin(), first * kDim, std::numeric_limits<float>::quiet_NaN());
        part.resize(static_cast<std::size_t>(end) * kDim);
      }
      return sequence(page_tokens, kDim, parts[0], parts[1]);
    };
    for (const Phase phase : kPhases) {
      for (const int window : {0, 40}) {
        for (const std::int32_t start : {0, 230, 499}) {
          if (kSanitized && start == 230) continue;
          const auto together =
              attend(cache, counted(start, 61), rows(start, 61), window, 2, phase);
          for (const int n_threads : {1, 3, 7}) {
            ASSERT_EQ(attend(cache, counted(start, 61), rows(start, 61), window, n_threads, phase),
                      together);
          }
          for (const std::int32_t chunk : {1, 5, 16, 33}) {
            if (kSanitized && chunk == 1) continue;
            std::vector<float> parts;
            for (std::int32_t done = 0; done < 61; done += chunk) {
              const std::int32_t n = std::min(chunk, 61 - done);
              const std::int32_t first = window > 0 ? std::max(0, start + done - window + 1) : 0;
              const auto part = attend(filled(first, start + done + n), counted(start + done, n),
                                       rows(start + done, n), window, 2, phase);
              parts.insert(parts.end(), part.begin(), part.end());
            }
            ASSERT_EQ(parts, together) << "phase " << static_cast<int>(phase) << ", chunks of "
                                       << chunk << " from " << start;
          }
        }
      }
    }
  }
}

/// Sets with a matrix unit: isa_test holds which these are.
class Bf16AttentionInTilesTest : public Bf16AttentionTest {};

std::vector<Isa> isas_with_tiles() {
  std::vector<Isa> isas = usable_isas();
  std::erase_if(isas, [](Isa isa) { return !kernels_for(isa).generated_attention; });
  return isas;
}

TEST_P(Bf16AttentionInTilesTest, TheMatrixUnitComputesIt) {
  const auto vectors = backend_of(Isa::avx512, 2);  // whose kernels the set shares otherwise
  const CachedSequence cache = sequence(64, 64, normal(200 * 64, 0.5F), normal(200 * 64));
  const std::vector<std::int32_t> positions = counted(150, 40);
  const std::vector<float> queries = normal(positions.size() * 8 * 64);
  for (const Phase phase : kPhases) {
    EXPECT_NE(attend(cache, positions, queries, 0, 2, phase),
              attend(*vectors, cache, positions, queries, 0, phase));
  }
}

TEST_P(Bf16AttentionInTilesTest, OfGeneratedTokensStaysInItsScratch) {
  const kernels::Kernels table = kernels_for(GetParam());
  constexpr std::size_t kCanary = 256;
  constexpr auto kUnused = std::byte{0xFF};  // no number, in f32 or in bf16
  for (const auto& [page_tokens, head_dim] : {std::pair{32, 32}, {64, 288}, {96, 512}}) {
    const auto d = static_cast<std::size_t>(head_dim);
    const CachedSequence cache =
        sequence(page_tokens, head_dim, normal(300 * d, 0.1F), normal(300 * d));
    for (int n_queries = 1; n_queries <= kernels::kMaxQueries; ++n_queries) {
      const auto n = static_cast<std::size_t>(n_queries);
      const std::vector<float> queries = normal(n * d);
      const auto size =
          static_cast<std::size_t>(kernels::generated_attention_scratch(head_dim, page_tokens));
      AlignedBuffer<std::byte> scratch(size + kCanary);
      std::memset(scratch.data(), static_cast<int>(kUnused), scratch.size());
      std::vector<float> out(n * d);
      std::vector<float> maximum(n);
      std::vector<float> total(n);
      kernels::AttentionArgs args = {};
      args.n_queries = n_queries;
      args.pages = cache.pages.data();
      args.key_offset = cache.layout.key_offset;
      args.value_offset = cache.layout.value_offset;
      args.type = kernels::CacheType::bf16;
      args.page_tokens = page_tokens;
      args.head_dim = head_dim;
      for (std::size_t q = 0; q < n; ++q) {
        args.queries[q] = queries.data() + q * d;
        args.first[q] = 5;
        args.last[q] = 170;
        args.out[q] = out.data() + q * d;
      }
      args.maximum = maximum.data();
      args.total = total.data();
      table.generated_attention(args, scratch.data());
      for (std::size_t i = size; i < scratch.size(); ++i) ASSERT_EQ(scratch.data()[i], kUnused);
      for (std::size_t q = 0; q < n; ++q) {
        const auto expected = cache.attended(args.queries[q], 5, 170);
        for (std::size_t k = 0; k < d; ++k) {
          ASSERT_NEAR(args.out[q][k] / total[q], expected[k], 1e-4) << q << " of " << n << " " << k;
        }
      }
    }
  }
}

TEST_P(Bf16AttentionTest, PagesThatNoWindowReachesMayBeGone) {
  for (const int page_tokens : {16, 48, 64}) {
    CachedSequence cache = sequence(page_tokens, 32, normal(900 * 32, 0.5F), normal(900 * 32));
    for (const std::int32_t start : {100, 555, 850}) {
      for (const int window : {1, 20, 300}) {
        const std::vector<std::int32_t> positions = counted(start, 50);
        const std::vector<float> queries = normal(positions.size() * 4 * 32);
        std::vector<float> with_pages[2];
        for (const Phase phase : kPhases) {
          with_pages[static_cast<int>(phase)] = attend(cache, positions, queries, window, 2, phase);
        }
        std::vector<std::byte*> pages = cache.pages;
        const auto first = static_cast<std::size_t>(std::max(0, start - window + 1) / page_tokens);
        const auto last = static_cast<std::size_t>((start + 49) / page_tokens);
        for (std::size_t page = 0; page < pages.size(); ++page) {
          if (page < first || page > last) cache.pages[page] = nullptr;
        }
        for (const Phase phase : kPhases) {
          EXPECT_EQ(attend(cache, positions, queries, window, 2, phase),
                    with_pages[static_cast<int>(phase)]);
        }
        cache.pages = pages;
      }
    }
  }
}

TEST_P(Bf16AttentionTest, StandsValuesOfAnySize) {
  constexpr int kDim = 64;
  constexpr std::size_t kSize = 300 * kDim;
  std::vector<float> values = normal(kSize);
  for (std::size_t i = 0; i < kSize; ++i) {
    if (i % kDim == 1) values[i] = -0.0F;
    if (i % kDim == 2) values[i] *= 1e30F;
    if (i % kDim == 3) values[i] *= 1e-30F;
  }
  const std::vector<std::int32_t> positions = {0, 3, 40, 150, 299};
  for (const int page_tokens : {16, 64}) {
    const CachedSequence cache = sequence(page_tokens, kDim, normal(kSize), values);
    for (const float size : {0.0F, 1e-20F, 1.0F, 30.0F, 1e4F}) {
      const std::vector<float> queries = normal(positions.size() * kDim, size);
      for (const Phase phase : kPhases) {
        const auto out = attend(cache, positions, queries, 0, 2, phase);
        for (std::size_t i = 0; i < positions.size(); ++i) {
          const auto expected = cache.attended(queries.data() + i * kDim, 0, positions[i]);
          for (std::size_t k = 0; k < kDim; ++k) {
            const double unit = k == 2 ? 1e30 : k == 3 ? 1e-30 : 1;
            // Scores of 1e5 have an error of 0.1 in f32.
            ASSERT_NEAR(out[i * kDim + k] / unit, expected[k] / unit, size > 1e3F ? 0.1 : 2e-3)
                << size << " " << k;
          }
        }
        // Alone, each is the same, bit for bit.
        for (std::size_t i = 0; i < positions.size(); ++i) {
          const auto own = std::span(queries).subspan(i * kDim, kDim);
          const auto alone = attend(cache, std::span(positions).subspan(i, 1), own, 0, 2, phase);
          EXPECT_EQ(std::memcmp(alone.data(), out.data() + i * kDim, kDim * sizeof(float)), 0);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryIsa, Bf16AttentionTest, ::testing::ValuesIn(usable_isas()),
                         [](const auto& item) { return std::string(name(item.param)); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Bf16AttentionInTilesTest);
INSTANTIATE_TEST_SUITE_P(EveryIsa, Bf16AttentionInTilesTest, ::testing::ValuesIn(isas_with_tiles()),
                         [](const auto& item) { return std::string(name(item.param)); });

}  // namespace
}  // namespace pleiad::cpu
