#include "sampling/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace pleiad::sampling {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string problem(SamplingOptions options) {
  const Result<SamplingOptions> result = check_options(std::move(options), 1000);
  return result.ok() ? "" : result.message();
}

TEST(CheckOptions, DefaultsPassAndHideNoPenalty) {
  const SamplingOptions options;
  EXPECT_EQ(problem(options), "");
  EXPECT_EQ(options.temperature, 1.0);
  EXPECT_EQ(options.top_k, 64);
  EXPECT_EQ(options.top_p, 0.95);
  EXPECT_EQ(options.min_p, 0.0);
  EXPECT_EQ(options.typical_p, 1.0);
  EXPECT_EQ(options.repeat_penalty, 1.0);
  EXPECT_EQ(options.presence_penalty, 0.0);
  EXPECT_EQ(options.frequency_penalty, 0.0);
  EXPECT_FALSE(options.greedy());
}

TEST(CheckOptions, TheEndsOfEveryRangePass) {
  EXPECT_EQ(problem({.temperature = 0, .top_k = 0, .top_p = 1, .min_p = 1}), "");
  EXPECT_EQ(problem({.temperature = 1e300, .top_k = 1000000, .top_p = 1e-300, .min_p = 0}), "");
  EXPECT_EQ(problem({.repeat_penalty = 1e-9, .repeat_last_n = -1}), "");
  EXPECT_EQ(problem({.presence_penalty = -2, .frequency_penalty = 2}), "");
  EXPECT_EQ(problem({.logit_bias = {{0, -100.0F}, {999, 100.0F}}}), "");
  EXPECT_EQ(problem({.n_logprobs = 0}), "");
  EXPECT_EQ(problem({.n_logprobs = 20}), "");
}

TEST(CheckOptions, NamesTheFieldTheRangeAndTheValue) {
  EXPECT_EQ(problem({.temperature = -0.5}),
            "temperature: expected a finite number of at least 0, found -0.5");
  EXPECT_EQ(problem({.top_k = -1}), "top_k: expected 0 (off) or more, found -1");
  EXPECT_EQ(problem({.top_p = 0}), "top_p: expected more than 0 and at most 1, found 0");
  EXPECT_EQ(problem({.top_p = 1.5}), "top_p: expected more than 0 and at most 1, found 1.5");
  EXPECT_EQ(problem({.min_p = -0.1}), "min_p: expected 0 to 1, found -0.1");
  EXPECT_EQ(problem({.typical_p = 1.1}), "typical_p: expected 0 to 1 (off), found 1.1");
  EXPECT_EQ(problem({.repeat_penalty = 0}),
            "repeat_penalty: expected a finite number above 0, found 0");
  EXPECT_EQ(problem({.repeat_last_n = -2}),
            "repeat_last_n: expected -1 (all), 0 (off) or more, found -2");
  EXPECT_EQ(problem({.presence_penalty = 2.5}), "presence_penalty: expected -2 to 2, found 2.5");
  EXPECT_EQ(problem({.frequency_penalty = -3}), "frequency_penalty: expected -2 to 2, found -3");
  EXPECT_EQ(problem({.logit_bias = {{1000, 1.0F}}}),
            "logit_bias: expected token ids below 1000, found 1000");
  EXPECT_EQ(problem({.logit_bias = {{-1, 1.0F}}}),
            "logit_bias: expected token ids below 1000, found -1");
  EXPECT_EQ(problem({.logit_bias = {{7, 101.0F}}}),
            "logit_bias: expected -100 to 100 for token 7, found 101");
  EXPECT_EQ(problem({.n_logprobs = 21}), "n_logprobs: expected 0 to 20, found 21");
  EXPECT_EQ(problem({.n_logprobs = -1}), "n_logprobs: expected 0 to 20, found -1");
}

TEST(CheckOptions, RefusesWhatIsNotFinite) {
  for (const double value : {kNan, kInfinity, -kInfinity}) {
    EXPECT_THAT(problem({.temperature = value}), testing::HasSubstr("temperature"));
    EXPECT_THAT(problem({.top_p = value}), testing::HasSubstr("top_p"));
    EXPECT_THAT(problem({.min_p = value}), testing::HasSubstr("min_p"));
    EXPECT_THAT(problem({.typical_p = value}), testing::HasSubstr("typical_p"));
    EXPECT_THAT(problem({.repeat_penalty = value}), testing::HasSubstr("repeat_penalty"));
    EXPECT_THAT(problem({.presence_penalty = value}), testing::HasSubstr("presence_penalty"));
    EXPECT_THAT(problem({.frequency_penalty = value}), testing::HasSubstr("frequency_penalty"));
    EXPECT_THAT(problem({.logit_bias = {{1, static_cast<float>(value)}}}),
                testing::HasSubstr("logit_bias"));
  }
}

}  // namespace
}  // namespace pleiad::sampling
