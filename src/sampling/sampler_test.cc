#include "sampling/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/error.h"
#include "sampling/reference_sampling.h"

namespace pleiad::sampling {
namespace {

constexpr float kMax = std::numeric_limits<float>::max();

std::vector<std::int32_t> sample_many(Sampler& sampler, std::span<const float> logits, int count) {
  std::vector<std::int32_t> tokens;
  for (int i = 0; i < count; ++i) tokens.push_back(sampler.sample(logits).token);
  return tokens;
}

/// Pearson's statistic of many draws against the exact probabilities; fails where
/// chance would give a larger one in fewer than one of some 100,000 runs.
void expect_distribution(const SamplingOptions& options, std::span<const float> logits) {
  constexpr int kDraws = 50000;
  const std::vector<double> probability = reference::probabilities(logits, options);
  Sampler sampler(options, logits.size());
  std::vector<int> counts(logits.size(), 0);
  for (const std::int32_t token : sample_many(sampler, logits, kDraws)) {
    ++counts[static_cast<std::size_t>(token)];
  }
  double statistic = 0;
  int degrees = -1;
  double rest_expected = 0;  // rare tokens count together
  int rest_count = 0;
  for (std::size_t token = 0; token < logits.size(); ++token) {
    const double expected = probability[token] * kDraws;
    if (expected == 0) {
      EXPECT_EQ(counts[token], 0) << "filtered token " << token;
    } else if (expected < 10) {
      rest_expected += expected;
      rest_count += counts[token];
    } else {
      statistic += (counts[token] - expected) * (counts[token] - expected) / expected;
      ++degrees;
    }
  }
  if (rest_expected >= 10) {
    statistic += (rest_count - rest_expected) * (rest_count - rest_expected) / rest_expected;
    ++degrees;
  }
  ASSERT_GT(degrees, 0);
  // Wilson and Hilferty: the cube root of the statistic is nearly normal.
  const double spread = 2.0 / (9.0 * degrees);
  const double deviations = (std::cbrt(statistic / degrees) - (1 - spread)) / std::sqrt(spread);
  EXPECT_LT(deviations, 4.3) << "statistic " << statistic << ", degrees " << degrees;
}

TEST(Sampler, DrawsInProportionToTheProbabilities) {
  const std::vector<float> logits = reference::normal_logits(203, 2.0, 9);
  expect_distribution({.seed = 1}, logits);
  expect_distribution({.top_k = 0, .top_p = 1.0, .seed = 2}, logits);
  expect_distribution({.temperature = 0.5, .top_k = 0, .top_p = 1.0, .seed = 3}, logits);
  expect_distribution({.temperature = 3.0, .top_k = 10, .top_p = 1.0, .seed = 4}, logits);
  expect_distribution({.top_k = 0, .top_p = 0.8, .seed = 5}, logits);
  expect_distribution({.top_k = 0, .top_p = 1.0, .min_p = 0.1, .seed = 6}, logits);
  expect_distribution({.top_k = 0, .typical_p = 0.6, .top_p = 1.0, .seed = 7}, logits);
  expect_distribution({.top_k = 50, .typical_p = 0.8, .top_p = 0.9, .seed = 8}, logits);
}

TEST(Sampler, DrawsEvenlyFromEqualLogits) {
  expect_distribution({.top_k = 0, .top_p = 1.0, .seed = 7}, std::vector<float>(100, -4.0F));
}

TEST(Sampler, TheSameSeedGivesTheSameTokens) {
  const std::vector<float> logits = reference::normal_logits(1000, 2.0, 3);
  Sampler first({.seed = 42}, logits.size());
  Sampler second({.seed = 42}, logits.size());
  Sampler other({.seed = 43}, logits.size());
  const std::vector<std::int32_t> tokens = sample_many(first, logits, 100);
  EXPECT_EQ(sample_many(second, logits, 100), tokens);
  EXPECT_NE(sample_many(other, logits, 100), tokens);
}

TEST(Sampler, GivesTheRecordedTokensForASeed) {
  // Recorded once; another result on any machine or in any later version breaks
  // the promise that a seed gives the same text.
  const std::vector<float> logits = reference::normal_logits(1000, 2.0, 3);
  Sampler sampler({.seed = 42}, logits.size());
  EXPECT_THAT(sample_many(sampler, logits, 12),
              testing::ElementsAre(583, 254, 967, 475, 577, 414, 88, 417, 155, 832, 414, 694));
  Sampler wide({.top_k = 0, .seed = 42}, logits.size());
  EXPECT_THAT(sample_many(wide, logits, 12),
              testing::ElementsAre(703, 269, 967, 571, 691, 468, 88, 475, 156, 869, 417, 796));
}

TEST(Sampler, WithoutASeedOneIsTakenAndCanBeUsedAgain) {
  const std::vector<float> logits = reference::normal_logits(1000, 2.0, 3);
  Sampler sampler({}, logits.size());
  Sampler again({.seed = sampler.seed_in_use()}, logits.size());
  EXPECT_EQ(sample_many(sampler, logits, 50), sample_many(again, logits, 50));
  EXPECT_NE(sampler.seed_in_use(), Sampler({}, logits.size()).seed_in_use());
  EXPECT_EQ(Sampler({.seed = 0}, 5).seed_in_use(), 0U);
}

TEST(Sampler, TakesOneRandomNumberPerToken) {
  const std::vector<float> logits = reference::normal_logits(500, 2.0, 4);
  for (const SamplingOptions& options :
       {SamplingOptions{.seed = 8}, SamplingOptions{.top_k = 0, .top_p = 1.0, .seed = 8},
        SamplingOptions{.top_k = 0, .seed = 8}}) {
    const std::vector<double> probability = reference::probabilities(logits, options);
    Sampler sampler(options, logits.size());
    Random random(8);
    for (int i = 0; i < 500; ++i) {
      ASSERT_EQ(sampler.sample(logits).token, reference::pick(probability, random.uniform()));
    }
  }
}

TEST(Sampler, GreedyTakesTheBestAndTheLowestIdOfEquals) {
  for (const SamplingOptions& options :
       {SamplingOptions{.temperature = 0}, SamplingOptions{.top_k = 1}}) {
    Sampler sampler(options, 5);
    EXPECT_EQ(sampler.sample(std::vector<float>{1, 5, 2, 5, 5}).token, 1);
    EXPECT_EQ(sampler.sample(std::vector<float>{-9, -9, -9, -9, -8}).token, 4);
    EXPECT_EQ(sampler.sample(std::vector<float>{0, 0, 0, 0, 0}).token, 0);
    EXPECT_EQ(sampler.sample(std::vector<float>{-kMax, 0, kMax, kMax, 0}).token, 2);
  }
}

TEST(Sampler, BiasForcesAndForbidsTokens) {
  const std::vector<float> logits = reference::normal_logits(300, 3.0, 5);
  Sampler forced({.logit_bias = {{17, 100.0F}}}, logits.size());
  for (const std::int32_t token : sample_many(forced, logits, 100)) EXPECT_EQ(token, 17);

  Sampler greedy({.temperature = 0}, logits.size());
  const std::int32_t best = greedy.sample(logits).token;
  Sampler forbidden({.top_k = 0, .top_p = 1.0, .logit_bias = {{best, -100.0F}}}, logits.size());
  for (const std::int32_t token : sample_many(forbidden, logits, 2000)) EXPECT_NE(token, best);
}

TEST(Sampler, BiasActsBeforeThePenaltyAndBothBeforeGreedy) {
  const std::vector<float> logits{1.0F, 3.0F, 4.0F};
  Sampler sampler({.temperature = 0, .repeat_penalty = 2.0, .logit_bias = {{0, 6.0F}}}, 3);
  EXPECT_EQ(sampler.sample(logits).token, 0);  // 7, 3, 4
  sampler.accept(0);
  EXPECT_EQ(sampler.sample(logits).token, 2);  // 7 / 2, 3, 4
}

TEST(Sampler, ASuppressedTokenIsNeverChosenWhateverElseIsAskedFor) {
  const std::vector<float> logits = {1.0F, 30.0F, 2.0F};
  SamplingOptions greedy{.temperature = 0.0, .suppressed_tokens = {1}};
  EXPECT_EQ(Sampler(greedy, 3).sample(logits).token, 2);
  greedy.logit_bias = {{1, 100.0F}, {0, 5.0F}};
  EXPECT_EQ(Sampler(greedy, 3).sample(logits).token, 0);
  for (const double temperature : {1e-6, 1.0, 100.0}) {
    for (const int top_k : {0, 3}) {
      Sampler sampler(SamplingOptions{.temperature = temperature,
                                      .top_k = top_k,
                                      .top_p = 1.0,
                                      .repeat_penalty = 1.5,
                                      .suppressed_tokens = {1},
                                      .seed = 5},
                      3);
      sampler.accept(1);
      EXPECT_THAT(sample_many(sampler, logits, 200), ::testing::Each(::testing::Ne(1)));
    }
  }
}

TEST(Sampler, LogprobsOfSuppressedTokensAreTheModelsOwn) {
  const std::vector<float> logits = {1.0F, 3.0F, 2.0F};
  Sampler sampler({.temperature = 0.0, .suppressed_tokens = {1}, .n_logprobs = 1}, 3);
  const SampledToken sampled = sampler.sample(logits);
  EXPECT_EQ(sampled.token, 2);
  EXPECT_EQ(sampled.top_logprobs.at(0).token, 1);
  EXPECT_LT(*sampled.logprob, sampled.top_logprobs[0].logprob);
}

TEST(Sampler, PresenceCountsWhatIsAcceptedNotThePrompt) {
  const std::vector<float> logits{1.0F, 1.5F};
  Sampler sampler({.temperature = 0, .presence_penalty = 1.0}, 2);
  sampler.accept_prompt(1);
  EXPECT_EQ(sampler.sample(logits).token, 1);
  EXPECT_EQ(sampler.sample(logits).token, 1);  // sampling alone counts nothing
  sampler.accept(1);
  EXPECT_EQ(sampler.sample(logits).token, 0);
}

TEST(Sampler, LogprobsAreThoseOfTheModelWhateverTheOptions) {
  const std::vector<float> logits{1.0F, 3.0F, 2.0F, 3.0F};
  const double sum = std::exp(1.0) + 2 * std::exp(3.0) + std::exp(2.0);
  Sampler sampler({.temperature = 0.1, .top_k = 2, .logit_bias = {{0, 50.0F}}, .n_logprobs = 3},
                  logits.size());
  const SampledToken sampled = sampler.sample(logits);
  EXPECT_EQ(sampled.token, 0);
  EXPECT_NEAR(sampled.logprob.value(), 1.0 - std::log(sum), 1e-12);
  ASSERT_EQ(sampled.top_logprobs.size(), 3U);
  EXPECT_EQ(sampled.top_logprobs[0].token, 1);
  EXPECT_EQ(sampled.top_logprobs[1].token, 3);
  EXPECT_EQ(sampled.top_logprobs[2].token, 2);
  EXPECT_NEAR(sampled.top_logprobs[1].logprob, 3.0 - std::log(sum), 1e-12);
}

TEST(Sampler, LogprobsComeOnlyWhenAskedFor) {
  const std::vector<float> logits{1.0F, 3.0F};
  EXPECT_FALSE(Sampler({}, 2).sample(logits).logprob.has_value());
  const SampledToken own = Sampler({.n_logprobs = 0}, 2).sample(logits);
  EXPECT_TRUE(own.logprob.has_value());
  EXPECT_TRUE(own.top_logprobs.empty());
  EXPECT_EQ(Sampler({.n_logprobs = 20}, 2).sample(logits).top_logprobs.size(), 2U);
}

TEST(Sampler, SaysWhichLogitIsNotFinite) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity()}) {
    for (const int top_k : {0, 1, 64}) {
      std::vector<float> logits(1000, 0.5F);
      logits[777] = bad;
      Sampler sampler({.top_k = top_k}, logits.size());
      try {
        sampler.sample(logits);
        FAIL() << bad;
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("of token 777"));
      }
    }
  }
}

TEST(Sampler, ExtremeTemperaturesActAsTheirLimits) {
  const std::vector<float> logits = reference::normal_logits(50, 2.0, 6);
  const std::int32_t best = Sampler({.temperature = 0}, 50).sample(logits).token;
  Sampler cold({.temperature = 1e-300, .top_k = 0, .top_p = 1.0}, 50);
  for (const std::int32_t token : sample_many(cold, logits, 100)) EXPECT_EQ(token, best);
  expect_distribution({.temperature = 1e300, .top_k = 0, .top_p = 1.0, .seed = 11}, logits);
}

TEST(Sampler, HandlesTheWholeVocabulary) {
  const std::vector<float> logits = reference::normal_logits(262144, 3.0, 12);
  for (const SamplingOptions& options :
       {SamplingOptions{.seed = 1}, SamplingOptions{.top_k = 0, .seed = 1},
        SamplingOptions{.temperature = 5.0, .top_k = 0, .seed = 1},
        SamplingOptions{.top_k = 100000, .top_p = 0.99, .seed = 1}}) {
    const std::vector<double> probability = reference::probabilities(logits, options);
    Sampler sampler(options, logits.size());
    Random random(1);
    for (int i = 0; i < 5; ++i) {
      ASSERT_EQ(sampler.sample(logits).token, reference::pick(probability, random.uniform()));
    }
  }
}

/// Allows the tokens of a list, and remembers what it was told.
class ListConstraint final : public TokenConstraint {
 public:
  explicit ListConstraint(std::vector<std::int32_t> list) : list_(std::move(list)) {}

  bool allowed_next(std::span<std::uint64_t> allowed) override {
    if (list_.empty()) return false;
    std::fill(allowed.begin(), allowed.end(), 0);
    for (const std::int32_t token : list_) {
      allowed[static_cast<std::size_t>(token) / 64] |= std::uint64_t{1} << (token % 64);
    }
    return true;
  }
  void accept(std::int32_t token) override { accepted.push_back(token); }
  std::unique_ptr<TokenConstraint> copy() const override {
    return std::make_unique<ListConstraint>(*this);
  }

  std::vector<std::int32_t> accepted;

 private:
  std::vector<std::int32_t> list_;
};

TEST(Sampler, ChoosesOnlyWhatAConstraintAllows) {
  const std::vector<float> logits = reference::normal_logits(300, 4.0, 5);
  const std::vector<SamplingOptions> all_options = {
      {.temperature = 0},
      {.seed = 1},
      {.top_k = 0, .top_p = 1.0, .seed = 2},
      {.top_k = 2, .top_p = 0.5, .seed = 3},
      {.top_k = 0, .top_p = 0.9, .min_p = 0.2, .seed = 4},
      {.top_k = 0, .typical_p = 0.5, .seed = 4},
      {.temperature = 5.0, .top_k = 0, .top_p = 1.0, .logit_bias = {{7, -50.0F}}, .seed = 5}};
  for (const SamplingOptions& options : all_options) {
    Sampler sampler(options, logits.size());
    ListConstraint constraint({7, 64, 65, 299});
    std::vector<std::int32_t> sampled;
    for (int i = 0; i < 200; ++i) sampled.push_back(sampler.sample(logits, &constraint).token);
    EXPECT_THAT(sampled, testing::Each(testing::AnyOf(7, 64, 65, 299)));
    EXPECT_EQ(constraint.accepted, sampled);
  }
}

TEST(Sampler, WhereAConstraintAllowsSuppressedTokensAloneOneOfTheseIsChosen) {
  const std::vector<float> logits = {9.0F, 1.0F, 2.0F};
  for (const double temperature : {0.0, 1e-300, 1.0}) {
    for (const double typical_p : {1.0, 0.5}) {
      Sampler sampler(
          {.temperature = temperature, .typical_p = typical_p, .suppressed_tokens = {1}, .seed = 2},
          logits.size());
      ListConstraint alone({1});
      EXPECT_EQ(sampler.sample(logits, &alone).token, 1);
      ListConstraint both({1, 2});
      EXPECT_EQ(sampler.sample(logits, &both).token, 2);
    }
  }
}

TEST(Sampler, FiltersWorkOnTheAllowedTokens) {
  std::vector<float> logits(100, 10.0F);  // more than enough to fill top_k
  logits[40] = 1.0F;
  logits[41] = 1.0F;
  logits[42] = -2.0F;
  Sampler sampler({.top_k = 2, .top_p = 1.0, .seed = 1}, logits.size());
  ListConstraint constraint({40, 41, 42});
  for (int i = 0; i < 100; ++i) sampler.sample(logits, &constraint);
  EXPECT_THAT(constraint.accepted, testing::Contains(40));
  EXPECT_THAT(constraint.accepted, testing::Contains(41));
  EXPECT_THAT(constraint.accepted, testing::Not(testing::Contains(42)));
}

TEST(Sampler, AConstraintThatAllowsEverythingChangesNothing) {
  const std::vector<float> logits = reference::normal_logits(500, 2.0, 8);
  Sampler free({.seed = 4, .n_logprobs = 2}, logits.size());
  Sampler constrained({.seed = 4, .n_logprobs = 2}, logits.size());
  ListConstraint constraint({});
  for (int i = 0; i < 50; ++i) {
    const SampledToken expected = free.sample(logits);
    const SampledToken actual = constrained.sample(logits, &constraint);
    EXPECT_EQ(actual.token, expected.token);
    EXPECT_EQ(actual.logprob, expected.logprob);
  }
}

TEST(Sampler, LogprobsUnderAConstraintAreThoseOfAllTokens) {
  const std::vector<float> logits = reference::normal_logits(100, 2.0, 8);
  const auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
  const auto other = static_cast<std::int32_t>(best == 3 ? 4 : 3);
  Sampler sampler({.temperature = 0, .n_logprobs = 1}, logits.size());
  ListConstraint constraint({other});
  const SampledToken sampled = sampler.sample(logits, &constraint);
  EXPECT_EQ(sampled.token, other);
  EXPECT_EQ(sampled.top_logprobs.at(0).token, best);
  EXPECT_LT(*sampled.logprob, sampled.top_logprobs.at(0).logprob);
}

TEST(Sampler, TellsWhetherThereWasAChoice) {
  const std::vector<float> logits = reference::normal_logits(300, 4.0, 5);
  const auto had_choice = [&](const SamplingOptions& options, std::vector<std::int32_t> list) {
    Sampler sampler(options, logits.size());
    ListConstraint constraint(std::move(list));
    return sampler.sample(logits, &constraint).had_choice;
  };
  EXPECT_TRUE(had_choice({.seed = 1}, {}));
  EXPECT_TRUE(had_choice({.top_k = 0, .top_p = 1.0, .seed = 1}, {7, 8}));
  EXPECT_FALSE(had_choice({.temperature = 0}, {}));
  EXPECT_FALSE(had_choice({.top_k = 1, .seed = 1}, {}));
  EXPECT_FALSE(had_choice({.top_p = 1e-6, .seed = 1}, {}));
  EXPECT_FALSE(had_choice({.min_p = 1, .seed = 1}, {}));
  EXPECT_FALSE(had_choice({.top_k = 0, .top_p = 1.0, .seed = 1}, {7}));
  EXPECT_FALSE(had_choice({.top_k = 20, .seed = 1}, {7}));
}

}  // namespace
}  // namespace pleiad::sampling
