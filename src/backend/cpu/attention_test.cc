// Attention as the backend divides it: rows of prompts in tiles, generated rows in
// pieces of their positions.

#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "backend/cpu/attention_testing.h"
#include "backend/cpu/cpu_backend.h"

namespace pleiad::cpu {
namespace {

constexpr int kHeadDim = 32;
constexpr std::int64_t kMaxRows = 48;

std::vector<float> normal(std::size_t n, float deviation, std::mt19937& random) {
  std::normal_distribution<float> distribution(0.0F, deviation);
  std::vector<float> values(n);
  for (float& value : values) value = distribution(random);
  return values;
}

// A row of a step: a position of one of the sequences.
struct Place {
  std::int32_t sequence;
  std::int32_t position;
};

class AttentionTest : public ::testing::TestWithParam<Isa> {
 protected:
  CpuBackend& backend(int n_threads) {
    auto& made = backends_[static_cast<std::size_t>(n_threads)];
    if (!made) {
      made = std::make_unique<CpuBackend>(CpuOptions{
          .isa = std::string(name(GetParam())), .n_threads = n_threads, .max_rows = kMaxRows});
      made->reserve_attention(reserved_heads_, kHeadDim);
    }
    return *made;
  }

  CachedSequence sequence(KvType type, int page_tokens, std::int64_t n) {
    const auto size = static_cast<std::size_t>(n * kHeadDim);
    return {kernels_for(GetParam()),    type, page_tokens, kHeadDim, normal(size, 0.5F, random_),
            normal(size, 1.0F, random_)};
  }

  /// Attention for the rows that are kept; the first n_generated rows are generated.
  std::vector<float> attend(const std::vector<const CachedSequence*>& sequences,
                            const std::vector<Place>& places, std::int64_t n_generated,
                            const std::vector<float>& queries, int window, int n_threads = 2,
                            const std::vector<std::int32_t>& kept = {},
                            std::int64_t n_kept_generated = 0,
                            const std::vector<std::int32_t>& last_visible = {},
                            const std::vector<std::int32_t>& block_begin = {}) {
    CpuBackend& cpu = backend(n_threads);
    const auto n = static_cast<std::int64_t>(kept.empty() ? places.size() : kept.size());
    const std::int64_t cols = static_cast<std::int64_t>(queries.size()) / n;
    std::vector<std::int32_t> tokens(places.size(), 0);
    std::vector<std::int32_t> positions;
    std::vector<std::int32_t> owners;
    for (const Place& place : places) {
      positions.push_back(place.position);
      owners.push_back(place.sequence);
    }
    std::vector<PageTable> tables;
    for (const CachedSequence* one : sequences) tables.emplace_back(one->pages);
    std::vector<float> query = queries;
    std::vector<float> out(queries.size(), -5.0F);
    cpu.begin_step({tokens, positions, owners, n_generated, last_visible, block_begin});
    if (!kept.empty()) cpu.keep_rows(kept, n_kept_generated);
    cpu.attention(Tensor(out.data(), n, cols), Tensor(query.data(), n, cols),
                  {sequences.front()->layout, tables}, window);
    cpu.end_step();
    return out;
  }

  std::mt19937 random_{5};
  int reserved_heads_ = 18;

 private:
  std::array<std::unique_ptr<CpuBackend>, 4> backends_;
};

TEST_P(AttentionTest, MatchesDoublePrecisionForAnyNumberOfHeads) {
  const CachedSequence cache = sequence(KvType::f32, 16, 90);
  const std::vector<Place> places = {{0, 0}, {0, 15}, {0, 16}, {0, 47}, {0, 88}, {0, 89}};
  for (const std::size_t n_heads : {1U, 2U, 3U, 4U, 5U, 7U, 8U, 9U, 16U, 18U}) {
    const std::vector<float> queries = normal(places.size() * n_heads * kHeadDim, 1.0F, random_);
    for (const int window : {0, 1, 16, 20}) {
      for (const std::int64_t n_generated : {0, 3, 6}) {
        const std::vector<float> out = attend({&cache}, places, n_generated, queries, window);
        for (std::size_t i = 0; i < places.size() * n_heads; ++i) {
          const std::int64_t last = places[i / n_heads].position;
          const std::int64_t first = window > 0 ? std::max<std::int64_t>(0, last - window + 1) : 0;
          const auto expected = cache.attended(queries.data() + i * kHeadDim, first, last);
          for (std::size_t k = 0; k < kHeadDim; ++k) {
            ASSERT_NEAR(out[i * kHeadDim + k], expected[k], 1e-5)
                << n_heads << " heads, window " << window << ", row " << i / n_heads;
          }
        }
      }
    }
  }
}

TEST_P(AttentionTest, GeneratedRowsOfLongSequencesAreCutInPieces) {
  // 256 positions are a piece; 1,024 pieces are in memory at a time.
  for (const std::int32_t n : {256, 257, 511, 513, 5000, 16385, 270000}) {
    const CachedSequence cache = sequence(KvType::f32, n < 1000 ? 16 : 64, n);
    const std::vector<float> queries = normal(2 * kHeadDim, 1.0F, random_);
    for (const int window : {0, 300}) {
      const auto generated = attend({&cache}, {{0, n - 1}}, 1, queries, window);
      const auto prompt = attend({&cache}, {{0, n - 1}}, 0, queries, window);
      for (std::size_t head = 0; head < 2; ++head) {
        const auto expected = cache.attended(queries.data() + head * kHeadDim,
                                             window > 0 ? std::max(0, n - window) : 0, n - 1);
        for (std::size_t k = 0; k < kHeadDim; ++k) {
          const std::size_t i = head * kHeadDim + k;
          ASSERT_NEAR(generated[i], expected[k], 1e-5) << n << " positions, window " << window;
          ASSERT_NEAR(prompt[i], expected[k], 1e-5) << n << " positions, window " << window;
        }
      }
      // Cut alike, and joined alike: the same bits, whichever way tasks are made of them.
      if (backend(2).has_one_arithmetic()) {
        ASSERT_EQ(prompt, generated) << n << " positions";
      }
    }
  }
}

TEST_P(AttentionTest, PiecesOfManyLongRowsFitWhatIsReserved) {
  reserved_heads_ = 2;
  const CachedSequence cache = sequence(KvType::f32, 64, 16700);
  std::vector<Place> places;
  for (std::int32_t i = 0; i < 17; ++i) places.push_back({0, 16128 + 35 * i});
  const std::vector<float> queries = normal(places.size() * 2 * kHeadDim, 1.0F, random_);
  for (const int window : {0, 16200}) {
    const auto generated = attend({&cache}, places, 17, queries, window);
    const auto prompt = attend({&cache}, places, 0, queries, window);
    for (std::size_t i = 0; i < prompt.size(); ++i) {
      ASSERT_NEAR(prompt[i], generated[i], 1e-5) << "row " << i / (2 * kHeadDim);
    }
    if (backend(2).has_one_arithmetic()) {
      ASSERT_EQ(prompt, generated);
    }
  }
}

TEST_P(AttentionTest, GivesEachRowTheSameBitsWhateverItsCompanyAndTheThreads) {
  for (const KvType type : kKvTypes) {
    const CachedSequence first = sequence(type, 32, 700);
    const CachedSequence second = sequence(type, 32, 300);
    // More generated rows than are computed at a time, prompts of both sequences.
    std::vector<Place> places;
    for (std::int32_t i = 0; i < 18; ++i) places.push_back({i % 2, 299 - 7 * i});
    places.push_back({0, 699});
    const auto n_generated = static_cast<std::int64_t>(places.size());
    for (std::int32_t i = 0; i < 11; ++i) places.push_back({0, 500 + i});
    for (std::int32_t i = 0; i < 7; ++i) places.push_back({1, 30 + i});
    for (const std::size_t n_heads : {2U, 3U, 8U}) {
      const std::size_t cols = n_heads * kHeadDim;
      const std::vector<float> queries = normal(places.size() * cols, 1.0F, random_);
      for (const int window : {0, 40}) {
        const auto together = attend({&first, &second}, places, n_generated, queries, window);
        for (const int n_threads : {1, 3}) {
          ASSERT_EQ(attend({&first, &second}, places, n_generated, queries, window, n_threads),
                    together)
              << n_threads << " threads";
        }
        for (std::size_t row = 0; row < places.size(); ++row) {
          const auto begin = static_cast<long>(row * cols);
          const auto end = static_cast<long>((row + 1) * cols);
          const std::vector<float> own(queries.begin() + begin, queries.begin() + end);
          const auto generated = static_cast<std::int64_t>(row) < n_generated ? 1 : 0;
          const auto alone = attend({&first, &second}, {places[row]}, generated, own, window);
          ASSERT_TRUE(std::equal(alone.begin(), alone.end(), together.begin() + begin))
              << "type " << static_cast<int>(type) << " row " << row << " heads " << n_heads;
          if (!backend(2).has_one_arithmetic()) continue;
          ASSERT_EQ(attend({&first, &second}, {places[row]}, 1 - generated, own, window), alone)
              << "type " << static_cast<int>(type) << " row " << row << " heads " << n_heads;
        }
      }
    }
  }
}

TEST_P(AttentionTest, RowsThatAreKeptAreTheirOwnStill) {
  const CachedSequence cache = sequence(KvType::f32, 16, 400);
  const std::vector<Place> places = {{0, 350}, {0, 20}, {0, 399}, {0, 100}, {0, 101}, {0, 102}};
  const std::vector<float> queries = normal(places.size() * 2 * kHeadDim, 1.0F, random_);
  const auto generated = attend({&cache}, places, 6, queries, 0);
  const auto prompt = attend({&cache}, places, 0, queries, 0);
  for (const std::vector<std::int32_t>& kept :
       {std::vector<std::int32_t>{0, 2, 4}, {1}, {5}, {3, 4, 5}, {0, 1, 2}, {2, 5}}) {
    const std::int64_t n_generated = std::ssize(kept) / 2;
    std::vector<float> part;
    std::vector<float> expected;
    for (const std::int32_t row : kept) {
      const long begin = row * 2L * kHeadDim;
      const bool first = std::ssize(part) < n_generated * 2 * kHeadDim;
      const std::vector<float>& all = first ? generated : prompt;
      part.insert(part.end(), queries.begin() + begin, queries.begin() + begin + 2 * kHeadDim);
      expected.insert(expected.end(), all.begin() + begin, all.begin() + begin + 2 * kHeadDim);
    }
    EXPECT_EQ(attend({&cache}, places, 3, part, 0, 2, kept, n_generated), expected);
  }
}

// A block of rows that see each other, as a picture's soft tokens are: on sliding layers a row
// sees up to the end of the block, from where its own window begins.
TEST_P(AttentionTest, RowsOfABlockSeeItsEndOnSlidingLayers) {
  constexpr std::size_t kHeads = 2;
  constexpr std::size_t kCols = kHeads * kHeadDim;
  std::vector<Place> places = {{0, 299}};  // generated: sees itself
  std::vector<std::int32_t> last = {310};
  for (std::int32_t position = 247; position < 275; ++position) {  // over a page and a block of 256
    places.push_back({0, position});
    last.push_back(position >= 250 && position < 270 ? 269 : position);
  }
  for (const KvType type : kKvTypes) {
    const CachedSequence cache = sequence(type, 32, 320);
    const double tolerance = type == KvType::bf16 ? 1e-3 : 1e-5;
    const std::vector<float> queries = normal(places.size() * kCols, 1.0F, random_);
    for (const int window : {0, 12, 40}) {
      const auto causal = attend({&cache}, places, 1, queries, window);
      const auto seen = attend({&cache}, places, 1, queries, window, 2, {}, 0, last);
      for (std::size_t row = 0; row < places.size(); ++row) {
        const std::int64_t own = places[row].position;
        const bool ahead = row > 0 && window > 0 && last[row] != own;
        const std::int64_t first = window > 0 ? std::max<std::int64_t>(0, own - window + 1) : 0;
        for (std::size_t i = row * kCols; i < (row + 1) * kCols; ++i) {
          if (!ahead) {
            ASSERT_EQ(seen[i], causal[i]) << "window " << window << ", row " << row;
            continue;
          }
          const std::size_t head = i % kCols / kHeadDim;
          const auto expected =
              cache.attended(queries.data() + row * kCols + head * kHeadDim, first, last[row]);
          ASSERT_NEAR(seen[i], expected[i % kHeadDim], tolerance)
              << "type " << static_cast<int>(type) << ", window " << window << ", row " << row;
        }
        if (row == 0) continue;
        // Alone, and after the others are dropped, the row's bits are the same.
        const auto begin = static_cast<long>(row * kCols);
        const std::vector<float> one(queries.begin() + begin, queries.begin() + begin + kCols);
        const std::vector<float> bits(seen.begin() + begin, seen.begin() + begin + kCols);
        ASSERT_EQ(attend({&cache}, {places[row]}, 0, one, window, 1, {}, 0, {last[row]}), bits);
        const auto kept = static_cast<std::int32_t>(row);
        ASSERT_EQ(attend({&cache}, places, 1, one, window, 1, {kept}, 0, last), bits);
      }
    }
  }
}

TEST_P(AttentionTest, RowsOfABlockSeeAllOfItWhateverTheWindow) {
  constexpr std::size_t kHeads = 2;
  constexpr std::size_t kCols = kHeads * kHeadDim;
  std::vector<Place> places = {{0, 299}};  // generated: sees itself
  std::vector<std::int32_t> first_seen = {299};
  std::vector<std::int32_t> last = {310};
  for (std::int32_t position = 247; position < 275; ++position) {
    const bool in_block = position >= 250 && position < 270;
    places.push_back({0, position});
    // A part of the block was computed before.
    first_seen.push_back(in_block ? 240 : position);
    last.push_back(in_block ? 269 : position);
  }
  for (const KvType type : kKvTypes) {
    const CachedSequence cache = sequence(type, 32, 320);
    const double tolerance = type == KvType::bf16 ? 1e-3 : 1e-5;
    const std::vector<float> queries = normal(places.size() * kCols, 1.0F, random_);
    for (const int window : {0, 4, 12, 40}) {
      const auto causal = attend({&cache}, places, 1, queries, window);
      const auto seen = attend({&cache}, places, 1, queries, window, 2, {}, 0, last, first_seen);
      for (std::size_t row = 0; row < places.size(); ++row) {
        const std::int64_t own = places[row].position;
        const bool in_block = row > 0 && last[row] != first_seen[row];
        std::int64_t first = window > 0 ? std::max<std::int64_t>(0, own - window + 1) : 0;
        if (in_block) first = std::min<std::int64_t>(first, 240);
        for (std::size_t i = row * kCols; i < (row + 1) * kCols; ++i) {
          if (!in_block) {
            ASSERT_EQ(seen[i], causal[i]) << "window " << window << ", row " << row;
            continue;
          }
          const std::size_t head = i % kCols / kHeadDim;
          const auto expected =
              cache.attended(queries.data() + row * kCols + head * kHeadDim, first, last[row]);
          ASSERT_NEAR(seen[i], expected[i % kHeadDim], tolerance)
              << "type " << static_cast<int>(type) << ", window " << window << ", row " << row;
        }
        if (row == 0) continue;
        const auto begin = static_cast<long>(row * kCols);
        const std::vector<float> one(queries.begin() + begin, queries.begin() + begin + kCols);
        const std::vector<float> bits(seen.begin() + begin, seen.begin() + begin + kCols);
        const auto kept = static_cast<std::int32_t>(row);
        ASSERT_EQ(attend({&cache}, places, 1, one, window, 1, {kept}, 0, last, first_seen), bits);
        // The last row of a block may be the one that chooses the next token.
        if (last[row] != own) continue;
        const auto chosen =
            attend({&cache}, places, 1, one, window, 1, {kept}, 1, last, first_seen);
        for (std::size_t i = 0; i < kCols; ++i) ASSERT_NEAR(chosen[i], bits[i], tolerance);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryIsa, AttentionTest, ::testing::ValuesIn(usable_isas()),
                         [](const auto& item) { return std::string(name(item.param)); });

}  // namespace
}  // namespace pleiad::cpu
