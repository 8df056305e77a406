#include "sampling/penalties.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace pleiad::sampling {
namespace {

using testing::ElementsAre;

std::vector<float> penalised(const Penalties& penalties, std::vector<float> scores) {
  penalties.apply(scores);
  return scores;
}

TEST(Penalties, AreOffUnlessAskedFor) {
  Penalties penalties(SamplingOptions{}, 3);
  EXPECT_FALSE(penalties.active());
  penalties.accept_prompt(0);
  penalties.accept_reply(1);
  EXPECT_THAT(penalised(penalties, {1, 2, 3}), ElementsAre(1, 2, 3));
  EXPECT_FALSE(Penalties({.repeat_penalty = 1.5, .repeat_last_n = 0}, 3).active());
}

TEST(Penalties, RepeatActsOnceOnPromptAndReplyTokens) {
  Penalties penalties({.repeat_penalty = 2.0}, 5);
  for (const int token : {0, 1, 1, 1}) penalties.accept_prompt(token);
  for (const int token : {2, 2, 3}) penalties.accept_reply(token);
  EXPECT_THAT(penalised(penalties, {4, -4, 6, 0, 8}), ElementsAre(2, -8, 3, 0, 8));
}

TEST(Penalties, RepeatForgetsWhatLeavesTheWindow) {
  Penalties penalties({.repeat_penalty = 2.0, .repeat_last_n = 2}, 4);
  for (const int token : {0, 1, 0, 2}) penalties.accept_reply(token);
  EXPECT_THAT(penalised(penalties, {4, 4, 4, 4}), ElementsAre(2, 4, 2, 4));
  penalties.accept_reply(3);
  EXPECT_THAT(penalised(penalties, {4, 4, 4, 4}), ElementsAre(4, 4, 2, 2));
}

TEST(Penalties, RepeatLooksBackToTheBeginForMinusOne) {
  Penalties penalties({.repeat_penalty = 2.0, .repeat_last_n = -1}, 3);
  penalties.accept_prompt(0);
  for (int i = 0; i < 1000; ++i) penalties.accept_reply(1);
  EXPECT_THAT(penalised(penalties, {4, 4, 4}), ElementsAre(2, 2, 4));
}

TEST(Penalties, PresenceAndFrequencyCountTheReplyOnly) {
  Penalties penalties({.presence_penalty = 0.5, .frequency_penalty = 0.25}, 4);
  for (const int token : {0, 0, 1}) penalties.accept_prompt(token);
  for (const int token : {1, 2, 2, 2}) penalties.accept_reply(token);
  EXPECT_THAT(penalised(penalties, {1, 1, 1, 1}), ElementsAre(1, 0.25, -0.25, 1));
}

TEST(Penalties, NegativeOnesEncourageRepetition) {
  Penalties penalties({.presence_penalty = -1.0, .frequency_penalty = -0.5}, 2);
  penalties.accept_reply(1);
  EXPECT_THAT(penalised(penalties, {0, 0}), ElementsAre(0, 1.5));
}

TEST(Penalties, RepeatActsBeforePresence) {
  Penalties penalties({.repeat_penalty = 2.0, .presence_penalty = 1.0}, 1);
  penalties.accept_reply(0);
  EXPECT_THAT(penalised(penalties, {6}), ElementsAre(2));
}

TEST(Penalties, ScoresStayFiniteWhateverTheFactor) {
  for (const double factor : {1e-300, 1e300}) {
    Penalties penalties({.repeat_penalty = factor}, 2);
    penalties.accept_reply(0);
    penalties.accept_reply(1);
    for (const float score : penalised(penalties, {30, -30})) EXPECT_TRUE(std::isfinite(score));
  }
}

TEST(Penalties, ForgetWhatIsTakenBack) {
  for (const SamplingOptions& options :
       {SamplingOptions{.repeat_penalty = 2.0, .repeat_last_n = 3},
        SamplingOptions{.repeat_penalty = 2.0, .repeat_last_n = -1},
        SamplingOptions{.presence_penalty = 0.5, .frequency_penalty = 0.25},
        SamplingOptions{.repeat_penalty = 1.5, .presence_penalty = 0.5}}) {
    Penalties never(options, 8), taken_back(options, 8);
    for (Penalties* penalties : {&never, &taken_back}) {
      for (const int token : {0, 1, 2}) penalties->accept_prompt(token);
      for (const int token : {3, 4, 3, 1}) penalties->accept_reply(token);
    }
    const std::vector<int> dropped = {3, 5, 5, 1, 6, 6, 6};
    for (const int token : dropped) taken_back.accept_reply(token);
    taken_back.take_back_reply(dropped);
    for (const int next : {7, 3, 0}) {
      EXPECT_EQ(penalised(taken_back, std::vector<float>(8, 4)),
                penalised(never, std::vector<float>(8, 4)));
      never.accept_reply(next);
      taken_back.accept_reply(next);
    }
  }
}

}  // namespace
}  // namespace pleiad::sampling
