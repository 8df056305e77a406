// Attention of a prompt's rows over a cache in bf16: on the matrix unit where there
// is one.

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "backend/cpu/attention_testing.h"
#include "backend/cpu/cpu_backend.h"

namespace pleiad::cpu {
namespace {

constexpr std::int64_t kMaxRows = 64;

class PromptAttentionTest : public ::testing::TestWithParam<Isa> {
 protected:
  std::vector<float> normal(std::size_t n, float deviation = 1.0F) {
    std::normal_distribution<float> distribution(0.0F, deviation);
    std::vector<float> values(n);
    for (float& value : values) value = distribution(random_);
    return values;
  }

  CachedSequence sequence(int page_tokens, int head_dim, const std::vector<float>& keys,
                          const std::vector<float>& values) const {
    return {kernels_for(GetParam()), KvType::bf16, page_tokens, head_dim, keys, values};
  }

  /// One sequence's rows at these positions; [position][head][head_dim].
  std::vector<float> attend(const CachedSequence& cache, std::span<const std::int32_t> positions,
                            std::span<const float> queries, int window, int n_threads = 2) {
    auto& backend = backends_[n_threads];
    if (!backend) {
      backend = std::make_unique<CpuBackend>(CpuOptions{
          .isa = std::string(name(GetParam())), .n_threads = n_threads, .max_rows = kMaxRows});
      backend->reserve_attention(8, 512);
    }
    const auto n = static_cast<std::int64_t>(positions.size());
    const std::int64_t cols = static_cast<std::int64_t>(queries.size()) / n;
    const std::vector<std::int32_t> zeros(positions.size(), 0);
    const PageTable tables[] = {cache.pages};
    std::vector<float> query(queries.begin(), queries.end());
    std::vector<float> out(queries.size(), -5.0F);
    backend->begin_step({zeros, positions, zeros, 0});
    backend->attention(Tensor(out.data(), n, cols), Tensor(query.data(), n, cols),
                       {cache.layout, tables}, window);
    backend->end_step();
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

TEST_P(PromptAttentionTest, MatchesDoublePrecision) {
  // Scores reach 25. f32 has an error of 2.6e-5 at most here; the matrix unit, which
  // gets queries to 17 bits, one of 6.4e-5.
  const double tolerance = GetParam() == Isa::amx ? 1e-4 : 4e-5;
  for (const auto& [page_tokens, head_dim] :
       {std::pair{16, 32}, {48, 96}, {32, 288}, {64, 256}, {64, 512}}) {
    const auto size = static_cast<std::size_t>(601 * head_dim);
    const CachedSequence cache = sequence(
        page_tokens, head_dim, normal(size, 16.0F / std::sqrt(head_dim * 8.0F)), normal(size));
    const std::vector<std::int32_t> positions = {0, 1, 15, 17, 254, 255, 256, 257, 511, 513, 600};
    for (const std::size_t n_heads : {1U, 5U, 8U}) {
      const auto d = static_cast<std::size_t>(head_dim);
      const std::vector<float> queries = normal(positions.size() * n_heads * d);
      for (const int window : {0, 1, 33, 512}) {
        const std::vector<float> out = attend(cache, positions, queries, window);
        for (std::size_t i = 0; i < positions.size() * n_heads; ++i) {
          const std::int64_t last = positions[i / n_heads];
          const std::int64_t first = window > 0 ? std::max<std::int64_t>(0, last - window + 1) : 0;
          const auto expected = cache.attended(queries.data() + i * d, first, last);
          for (std::size_t k = 0; k < d; ++k) {
            ASSERT_NEAR(out[i * d + k], expected[k], tolerance)
                << "head_dim " << head_dim << ", window " << window << ", position " << last;
          }
        }
      }
    }
  }
}

TEST_P(PromptAttentionTest, ChunksAndThreadsChangeNoBit) {
  for (const int page_tokens : {16, 64}) {
    constexpr int kHeadDim = 64;
    constexpr std::size_t kHeads = 8;
    const std::vector<float> keys = normal(560 * kHeadDim, 0.5F);
    const std::vector<float> values = normal(560 * kHeadDim);
    const CachedSequence cache = sequence(page_tokens, kHeadDim, keys, values);
    const std::vector<float> queries = normal(560 * kHeads * kHeadDim);
    const auto rows = [&](std::int32_t first, std::int32_t n) {
      return std::span(queries).subspan(static_cast<std::size_t>(first) * kHeads * kHeadDim,
                                        static_cast<std::size_t>(n) * kHeads * kHeadDim);
    };
    for (const int window : {0, 40}) {
      for (const std::int32_t start : {0, 230, 499}) {
        const auto together = attend(cache, counted(start, 61), rows(start, 61), window);
        for (const int n_threads : {1, 3, 7}) {
          ASSERT_EQ(attend(cache, counted(start, 61), rows(start, 61), window, n_threads),
                    together);
        }
        for (const std::int32_t chunk : {1, 5, 16, 33}) {
          std::vector<float> parts;
          for (std::int32_t done = 0; done < 61; done += chunk) {
            const std::int32_t n = std::min(chunk, 61 - done);
            // A cache that ends here: what comes later is not even a number yet.
            const auto filled = static_cast<std::ptrdiff_t>(start + done + n) * kHeadDim;
            const CachedSequence so_far =
                sequence(page_tokens, kHeadDim, {keys.begin(), keys.begin() + filled},
                         {values.begin(), values.begin() + filled});
            const auto part =
                attend(so_far, counted(start + done, n), rows(start + done, n), window);
            parts.insert(parts.end(), part.begin(), part.end());
          }
          ASSERT_EQ(parts, together) << "chunks of " << chunk << " from " << start;
        }
      }
    }
  }
}

TEST_P(PromptAttentionTest, PagesThatNoWindowReachesMayBeGone) {
  for (const int page_tokens : {16, 48, 64}) {
    CachedSequence cache = sequence(page_tokens, 32, normal(900 * 32, 0.5F), normal(900 * 32));
    for (const std::int32_t start : {100, 555, 850}) {
      for (const int window : {1, 20, 300}) {
        const std::vector<std::int32_t> positions = counted(start, 50);
        const std::vector<float> queries = normal(positions.size() * 4 * 32);
        const auto with_pages = attend(cache, positions, queries, window);
        std::vector<std::byte*> pages = cache.pages;
        const auto first = static_cast<std::size_t>(std::max(0, start - window + 1) / page_tokens);
        const auto last = static_cast<std::size_t>((start + 49) / page_tokens);
        for (std::size_t page = 0; page < pages.size(); ++page) {
          if (page < first || page > last) cache.pages[page] = nullptr;
        }
        EXPECT_EQ(attend(cache, positions, queries, window), with_pages);
        cache.pages = pages;
      }
    }
  }
}

TEST_P(PromptAttentionTest, StandsValuesOfAnySize) {
  constexpr int kHeadDim = 64;
  constexpr std::size_t kSize = 300 * kHeadDim;
  std::vector<float> values = normal(kSize);
  for (std::size_t i = 0; i < kSize; ++i) {
    if (i % kHeadDim == 1) values[i] = -0.0F;
    if (i % kHeadDim == 2) values[i] *= 1e30F;
    if (i % kHeadDim == 3) values[i] *= 1e-30F;
  }
  const CachedSequence cache = sequence(16, kHeadDim, normal(kSize), values);
  const std::vector<std::int32_t> positions = {0, 3, 40, 150, 299};
  for (const float size : {0.0F, 1e-20F, 1.0F, 30.0F, 1e4F}) {
    const std::vector<float> queries = normal(positions.size() * kHeadDim, size);
    const auto out = attend(cache, positions, queries, 0);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const auto expected = cache.attended(queries.data() + i * kHeadDim, 0, positions[i]);
      for (std::size_t k = 0; k < kHeadDim; ++k) {
        const double unit = k == 2 ? 1e30 : k == 3 ? 1e-30 : 1;
        // Scores of 1e5 have an error of 0.1 in f32.
        ASSERT_NEAR(out[i * kHeadDim + k] / unit, expected[k] / unit, size > 1e3F ? 0.1 : 2e-3)
            << size << " " << k;
      }
    }
    // Alone, each is the same, bit for bit.
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const auto own = std::span(queries).subspan(i * kHeadDim, kHeadDim);
      const auto alone = attend(cache, std::span(positions).subspan(i, 1), own, 0);
      EXPECT_EQ(std::memcmp(alone.data(), out.data() + i * kHeadDim, kHeadDim * sizeof(float)), 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryIsa, PromptAttentionTest, ::testing::ValuesIn(usable_isas()),
                         [](const auto& item) { return std::string(name(item.param)); });

}  // namespace
}  // namespace pleiad::cpu
