#include "sampling/candidates.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "sampling/reference_sampling.h"

namespace pleiad::sampling {
namespace {

std::vector<std::int32_t> filtered(Candidates& candidates, std::span<const float> scores,
                                   const SamplingOptions& options) {
  candidates.fill(scores, options.temperature, options.top_k,
                  options.typical_p < 1 ? 1.0 : options.top_p);
  candidates.keep_typical(options.typical_p);
  candidates.keep_top_p(options.top_p);
  candidates.keep_min_p(options.min_p);
  return {candidates.tokens().begin(), candidates.tokens().end()};
}

/// Same tokens kept, same token picked, as by the definitions.
void expect_reference(Candidates& candidates, std::span<const float> scores,
                      const SamplingOptions& options) {
  SCOPED_TRACE(fmt::format("n {} temperature {} top_k {} typical_p {} top_p {} min_p {}",
                           scores.size(), options.temperature, options.top_k, options.typical_p,
                           options.top_p, options.min_p));
  const std::vector<double> probability = reference::probabilities(scores, options);
  std::vector<std::int32_t> expected;
  for (std::size_t token = 0; token < scores.size(); ++token) {
    if (probability[token] > 0) expected.push_back(static_cast<std::int32_t>(token));
  }
  const std::vector<std::int32_t> kept = filtered(candidates, scores, options);
  ASSERT_EQ(kept, expected);
  Random random(scores.size());
  for (int i = 0; i < 20; ++i) {
    const double uniform = random.uniform();
    ASSERT_EQ(candidates.pick(uniform), reference::pick(probability, uniform)) << uniform;
  }
}

const std::vector<std::size_t> kOddSizes{1, 2, 63, 65, 1000, 5003};

TEST(Candidates, TopKAloneKeepsTheBestTokens) {
  Candidates candidates;
  for (const std::size_t size : kOddSizes) {
    const std::vector<float> scores = reference::normal_logits(size, 3.0, size);
    for (const int top_k : {0, 1, 2, 40, 64, 65, 4000, 1000000}) {
      expect_reference(candidates, scores, {.top_k = top_k, .top_p = 1.0});
    }
  }
}

TEST(Candidates, TopPAloneIsExactFromPeakedToFlat) {
  Candidates candidates;
  for (const std::size_t size : kOddSizes) {
    for (const double deviation : {0.001, 0.3, 1.0, 4.0, 12.0, 200.0}) {
      const std::vector<float> scores = reference::normal_logits(size, deviation, size);
      for (const double top_p : {1e-9, 0.1, 0.5, 0.9, 0.95, 0.999, 1.0 - 1e-9}) {
        expect_reference(candidates, scores, {.top_k = 0, .top_p = top_p});
      }
    }
  }
}

TEST(Candidates, MinPAloneKeepsWhatIsNearTheBest) {
  Candidates candidates;
  for (const std::size_t size : kOddSizes) {
    const std::vector<float> scores = reference::normal_logits(size, 3.0, size);
    for (const double min_p : {0.0, 1e-6, 0.05, 0.5, 1.0}) {
      expect_reference(candidates, scores, {.top_k = 0, .top_p = 1.0, .min_p = min_p});
    }
  }
}

std::vector<float> logits_of(const std::vector<double>& probabilities) {
  std::vector<float> logits;
  for (const double p : probabilities) logits.push_back(static_cast<float>(std::log(p)));
  return logits;
}

TEST(Candidates, TypicalPKeepsWhatIsNearestToTheEntropy) {
  Candidates candidates;
  const auto kept = [&](const std::vector<double>& probabilities, double typical_p) {
    return filtered(candidates, logits_of(probabilities),
                    {.top_k = 0, .typical_p = typical_p, .top_p = 1.0});
  };
  using Tokens = std::vector<std::int32_t>;
  // The cases of llama.cpp's own test of its sampler.
  EXPECT_EQ(kept({0.97, 0.01, 0.01, 0.01}, 0.5), Tokens{0});
  EXPECT_EQ(kept({0.4, 0.2, 0.2, 0.2}, 0.5), (Tokens{1, 2, 3})) << "without the likeliest";
  // Surprisals of 1, 2, 3 and 3 bits, an entropy of 1.75: distances .75, .25, 1.25, 1.25.
  const std::vector<double> halves = {0.5, 0.25, 0.125, 0.125};
  EXPECT_EQ(kept(halves, 0.0), Tokens{1});
  EXPECT_EQ(kept(halves, 0.24), Tokens{1});
  EXPECT_EQ(kept(halves, 0.26), (Tokens{0, 1}));
  EXPECT_EQ(kept(halves, 0.74), (Tokens{0, 1}));
  EXPECT_EQ(kept(halves, 0.76), (Tokens{0, 1, 2}));
  EXPECT_EQ(kept(halves, 0.88), (Tokens{0, 1, 2, 3}));
  EXPECT_EQ(kept(halves, 1.0), (Tokens{0, 1, 2, 3}));
  EXPECT_EQ(kept({0.25, 0.25, 0.25, 0.25}, 0.3), (Tokens{0, 1})) << "equals go by their ids";
}

TEST(Candidates, TypicalPAloneIsExactFromPeakedToFlat) {
  Candidates candidates;
  for (const std::size_t size : kOddSizes) {
    for (const double deviation : {0.001, 0.3, 1.0, 4.0, 12.0}) {
      const std::vector<float> scores = reference::normal_logits(size, deviation, size);
      for (const double typical_p : {0.0, 0.1, 0.5, 0.9, 0.999}) {
        expect_reference(candidates, scores, {.top_k = 0, .typical_p = typical_p, .top_p = 1.0});
      }
    }
  }
}

TEST(Candidates, TypicalPComesAfterTopKAndBeforeTopP) {
  Candidates candidates;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const auto size = static_cast<std::size_t>(1 + 3000 * random.uniform());
    const std::vector<float> scores =
        reference::normal_logits(size, 6 * random.uniform(), seed + 5000);
    expect_reference(candidates, scores,
                     {.temperature = 0.3 + 2 * random.uniform(),
                      .top_k = static_cast<int>(200 * random.uniform()),
                      .typical_p = 0.001 + 0.998 * random.uniform(),
                      .top_p = 0.001 + 0.998 * random.uniform(),
                      .min_p = 0.2 * random.uniform()});
  }
}

TEST(Candidates, TypicalPOf1ChangesNothing) {
  Candidates with;
  Candidates without;
  const std::vector<float> scores = reference::normal_logits(5003, 3.0, 7);
  with.fill(scores, 0.7, 0, 0.9);
  with.keep_typical(1.0);
  with.keep_top_p(0.9);
  without.fill(scores, 0.7, 0, 0.9);
  without.keep_top_p(0.9);
  const auto tokens = [](const Candidates& candidates) {
    return std::vector<std::int32_t>(candidates.tokens().begin(), candidates.tokens().end());
  };
  EXPECT_EQ(tokens(with), tokens(without));
  for (double uniform = 0; uniform < 1; uniform += 0.01) {
    EXPECT_EQ(with.pick(uniform), without.pick(uniform));
  }
}

TEST(Candidates, FiltersCombineInTheirOrder) {
  Candidates candidates;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const auto size = static_cast<std::size_t>(1 + 3000 * random.uniform());
    const std::vector<float> scores =
        reference::normal_logits(size, 8 * random.uniform(), seed + 1000);
    const SamplingOptions options{.temperature = 0.1 + 2 * random.uniform(),
                                  .top_k = static_cast<int>(200 * random.uniform()),
                                  .top_p = 0.001 + 0.998 * random.uniform(),
                                  .min_p = 0.2 * random.uniform()};
    expect_reference(candidates, scores, options);
  }
}

TEST(Candidates, TopPTakesEqualScoresByTheirIds) {
  Candidates candidates;
  for (const std::size_t size : {2, 64, 1000}) {
    const std::vector<float> scores(size, 1.5F);
    const std::vector<std::int32_t> kept = filtered(candidates, scores, {.top_k = 0, .top_p = 0.5});
    ASSERT_EQ(kept.size(), size / 2);
    EXPECT_EQ(kept.back(), static_cast<std::int32_t>(size / 2 - 1));
  }
  std::vector<float> zeros{-0.0F, 0.0F, -0.0F, 0.0F};
  EXPECT_EQ(filtered(candidates, zeros, {.top_k = 0, .top_p = 0.75}),
            (std::vector<std::int32_t>{0, 1, 2}));
}

TEST(Candidates, ExtremeTemperaturesAndScoresLeaveTheBestToken) {
  Candidates candidates;
  constexpr float kMax = std::numeric_limits<float>::max();
  const std::vector<float> scores{-kMax, 1.0F, kMax, 2.0F};
  for (const int top_k : {0, 3}) {
    for (const double top_p : {0.5, 1.0}) {
      for (const double temperature : {1e-300, 1e-3, 1.0}) {
        for (const double typical_p : {0.0, 0.5, 1.0}) {
          filtered(
              candidates, scores,
              {.temperature = temperature, .top_k = top_k, .typical_p = typical_p, .top_p = top_p});
          EXPECT_EQ(candidates.pick(0.0), 2);
          EXPECT_EQ(candidates.pick(std::nextafter(1.0, 0.0)), 2);
        }
      }
    }
  }
}

TEST(Candidates, AHugeTemperatureMakesAllTokensEqual) {
  Candidates candidates;
  const std::vector<float> scores = reference::normal_logits(1000, 5.0, 1);
  filtered(candidates, scores, {.temperature = 1e300, .top_k = 0, .top_p = 1.0});
  for (int token = 0; token < 1000; ++token)
    EXPECT_EQ(candidates.pick((token + 0.5) / 1000), token);
}

}  // namespace
}  // namespace pleiad::sampling
