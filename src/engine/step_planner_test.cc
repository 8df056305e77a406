#include "engine/step_planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace pleiad {
namespace {

using ::testing::ElementsAre;

std::int64_t sum(const std::vector<std::int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

/// Of prompts beside streams on which nothing is forced.
std::vector<std::int64_t> plan(StepPlanner& planner, std::int64_t n_streams,
                               std::span<const std::int64_t> prompt_rows) {
  const std::vector<std::int64_t> none(static_cast<std::size_t>(n_streams), 0);
  return planner.plan(none, prompt_rows).prompts;
}

TEST(StepPlanner, WithoutStreamsAPromptGetsAllThereIs) {
  StepPlanner planner({.max_rows = 512});
  EXPECT_THAT(plan(planner, 0, std::vector<std::int64_t>{30000}), ElementsAre(512));
  EXPECT_THAT(plan(planner, 0, std::vector<std::int64_t>{100}), ElementsAre(100));
  EXPECT_THAT(plan(planner, 5, {}), ElementsAre());
}

TEST(StepPlanner, ShortPromptsAreNotKeptByALongOne) {
  StepPlanner planner({.max_rows = 512});
  EXPECT_THAT(plan(planner, 0, std::vector<std::int64_t>{30000, 20}), ElementsAre(492, 20));
  EXPECT_THAT(plan(planner, 0, std::vector<std::int64_t>{30000, 30000}), ElementsAre(256, 256));
  EXPECT_THAT(plan(planner, 0, std::vector<std::int64_t>{100, 30000, 50}),
              ElementsAre(100, 362, 50));
}

TEST(StepPlanner, MorePromptsThanSharesTakeTurns) {
  StepPlanner planner({.max_rows = 64});
  std::vector<std::int64_t> left(10, 100);
  for (int step = 0; step < 10; ++step) {
    const auto given = plan(planner, 0, left);
    EXPECT_EQ(sum(given), 64);
    for (std::size_t i = 0; i < left.size(); ++i) left[i] -= given[i];
  }
  EXPECT_LE(
      *std::max_element(left.begin(), left.end()) - *std::min_element(left.begin(), left.end()),
      64);
  EXPECT_LT(*std::max_element(left.begin(), left.end()), 100) << "everybody got something";
}

TEST(StepPlanner, ForcedTextLeavesHalfOfASmallSliceToPrompts) {
  StepPlanner planner({.max_rows = 512});
  using Rows = std::vector<std::int64_t>;
  planner.took({3, 0}, 0.010);
  const StepPlanner::Rows first = planner.plan(Rows{30, 0, 0}, Rows{1000});
  EXPECT_THAT(first.forced, ElementsAre(8, 0, 0));
  EXPECT_THAT(first.prompts, ElementsAre(8));
}

TEST(StepPlanner, ForcedTextHasItsShareOfASlice) {
  StepPlanner planner({.max_rows = 512});
  using Rows = std::vector<std::int64_t>;
  const Rows long_one = {1000};
  // Little of it goes in while nothing is known, unless a prompt waits for a step that measures.
  EXPECT_THAT(planner.plan(Rows{5, 0, 30}, {}).forced, ElementsAre(5, 0, 11));
  EXPECT_THAT(planner.plan(Rows{5, 0, 30}, long_one).forced, ElementsAre(0, 0, 0));
  planner.took({3, 0}, 0.010);
  std::int64_t rows = 0;
  for (int step = 0; step < 10; ++step) {
    rows = plan(planner, 3, long_one)[0];
    planner.took({3, rows}, 0.010 + 0.0001 * static_cast<double>(rows));
  }
  ASSERT_EQ(rows, 96);
  const StepPlanner::Rows beside = planner.plan(Rows{4, 100, 0}, long_one);
  EXPECT_THAT(beside.forced, ElementsAre(4, 44, 0)) << "half of the slice at most";
  EXPECT_THAT(beside.prompts, ElementsAre(48));
  const StepPlanner::Rows little = planner.plan(Rows{4, 2, 0}, long_one);
  EXPECT_THAT(little.forced, ElementsAre(4, 2, 0));
  EXPECT_THAT(little.prompts, ElementsAre(90));
  EXPECT_THAT(planner.plan(Rows{4, 100, 0}, {}).forced, ElementsAre(4, 92, 0));
  // Of what prompts cost its rows say nothing.
  planner.took({3, 90, false, 6}, 5.0);
  planner.took({3, 0, false, 6}, 5.0);
  EXPECT_THAT(plan(planner, 3, long_one), ElementsAre(96));
}

TEST(StepPlanner, TheFirstStepOfStreamsMeasuresThemAlone) {
  StepPlanner planner({.max_rows = 512});
  const std::vector<std::int64_t> prompts = {1000};
  EXPECT_THAT(plan(planner, 3, prompts), ElementsAre(0));
  planner.took({3, 0}, 0.010);
  EXPECT_THAT(plan(planner, 3, prompts), ElementsAre(16));
  // A tenth of a millisecond a row: 100 rows make a step of 20 ms.
  std::int64_t rows = 16;
  for (const std::int64_t expected : {24, 32, 48, 72, 96, 96}) {
    planner.took({3, rows}, 0.010 + 0.0001 * static_cast<double>(rows));
    EXPECT_THAT(plan(planner, 3, prompts), ElementsAre(expected));
    rows = expected;
  }
  EXPECT_THAT(plan(planner, 0, prompts), ElementsAre(512));
}

TEST(StepPlanner, ManyStreamsLeaveRoomForAPrompt) {
  StepPlanner planner({.max_rows = 40});
  planner.took({32, 0}, 0.1);
  EXPECT_THAT(plan(planner, 32, std::vector<std::int64_t>{1000}), ElementsAre(8));
}

/// A machine with costs of its own, eight streams, and a prompt of 30,000 tokens
/// that comes after a while; then a short one.
struct Simulation {
  std::function<double(std::int64_t n_generated, std::int64_t n_prompt, std::int64_t depth)> cost;
  std::int64_t max_rows = 512;
  double end_cost = 0;  // of a step in which a prompt ends
  double usual_gap = 0;
  double longest_gap = 0;
  int steps_of_long_prompt = 0;
  int steps_of_short_prompt = 0;

  void run() {
    StepPlanner planner({.max_rows = max_rows});
    std::vector<std::int64_t> left;
    for (int step = 0; left.empty() || left[0] > 0; ++step) {
      if (step == 20) left = {30000};
      if (step == 40) left.push_back(60);
      const auto given = plan(planner, 8, left);
      const std::int64_t n = sum(given);
      const std::int64_t depth = left.empty() ? 0 : 30000 - left[0];
      bool ends = false;
      for (std::size_t i = 0; i < left.size(); ++i) ends |= left[i] > 0 && given[i] == left[i];
      const double seconds = cost(8, n, depth) + (ends ? end_cost : 0);
      planner.took({8, n, ends}, seconds);
      if (step < 20) usual_gap = seconds;
      longest_gap = std::max(longest_gap, seconds);
      for (std::size_t i = 0; i < left.size(); ++i) left[i] -= given[i];
      steps_of_long_prompt += step >= 20;
      steps_of_short_prompt += left.size() > 1 && left[1] > 0;
    }
  }
};

TEST(StepPlanner, ALongPromptAmidStreamsNeitherStallsThemNorWaits) {
  Simulation simulation;
  simulation.cost = [](std::int64_t, std::int64_t n, std::int64_t) {
    return 0.030 + 0.0002 * static_cast<double>(n);
  };
  simulation.run();
  EXPECT_LT(simulation.longest_gap, 2.1 * simulation.usual_gap);
  // 150 rows of 0.2 ms fill the second 30 ms.
  EXPECT_LE(simulation.steps_of_long_prompt, 30000 / 144 + 20);
  EXPECT_LE(simulation.steps_of_short_prompt, 2);
}

TEST(StepPlanner, FollowsCostsThatAreNotInProportion) {
  Simulation simulation;
  // Prompts have costs of their own, whatever their length, and grow with their depth.
  simulation.cost = [](std::int64_t, std::int64_t n, std::int64_t depth) {
    if (n == 0) return 0.030;
    return 0.030 + 0.015 + (0.0001 + 2e-8 * static_cast<double>(depth)) * static_cast<double>(n);
  };
  simulation.run();
  EXPECT_LT(simulation.longest_gap, 2.7 * simulation.usual_gap);
  EXPECT_LE(simulation.steps_of_long_prompt, 1000);
}

TEST(StepPlanner, GivesPromptsAFairPartWhereTheirFixedCostsAreHigh) {
  Simulation simulation;
  simulation.cost = [](std::int64_t, std::int64_t n, std::int64_t) {
    return n == 0 ? 0.030 : 0.057 + 0.0001 * static_cast<double>(n);
  };
  simulation.run();
  EXPECT_LT(simulation.longest_gap, 2.6 * simulation.usual_gap);
  EXPECT_LE(simulation.steps_of_long_prompt, 30060 / 64 + 40);
}

TEST(StepPlanner, TheEndOfAPromptDoesNotStallStreams) {
  Simulation simulation;
  simulation.cost = [](std::int64_t, std::int64_t n, std::int64_t) {
    return n == 0 ? 0.120 : 0.150 + 0.0007 * static_cast<double>(n);
  };
  simulation.end_cost = 0.140;
  simulation.run();
  EXPECT_LT(simulation.longest_gap, 2.7 * simulation.usual_gap);
  EXPECT_LE(simulation.steps_of_long_prompt, 30060 / 120 + 20);
  EXPECT_LE(simulation.steps_of_short_prompt, 3);
}

TEST(StepPlanner, ShortPromptsAreNotDividedWhereTheirEndCostsLittle) {
  StepPlanner planner({.max_rows = 512});
  planner.took({4, 0}, 0.010);
  for (int i = 0; i < 20; ++i) {
    const std::int64_t rows = plan(planner, 4, std::vector<std::int64_t>{1000})[0];
    planner.took({4, rows}, 0.010 + 0.00005 * static_cast<double>(rows));
  }
  EXPECT_THAT(plan(planner, 4, std::vector<std::int64_t>{60}), ElementsAre(44))
      << "nobody knows what an end costs";
  planner.took({4, 44}, 0.0122);
  EXPECT_THAT(plan(planner, 4, std::vector<std::int64_t>{16}), ElementsAre(16));
  planner.took({4, 16, true}, 0.0110);
  EXPECT_THAT(plan(planner, 4, std::vector<std::int64_t>{60}), ElementsAre(60));
  EXPECT_THAT(plan(planner, 4, std::vector<std::int64_t>{60, 10, 10}), ElementsAre(60, 10, 10));
}

TEST(StepPlanner, ManyShortPromptsEndTogether) {
  StepPlanner planner({.max_rows = 512});
  planner.took({4, 0}, 0.010);
  std::int64_t rows = 0;
  for (int i = 0; i < 12; ++i) {
    rows = sum(plan(planner, 4, std::vector<std::int64_t>(40, 10)));
    planner.took({4, rows, true}, 0.010 + 0.00005 * static_cast<double>(rows));
  }
  EXPECT_GE(rows, 150);
}

TEST(StepPlanner, RecoversFromAStepThatTookLong) {
  Simulation simulation;
  int n_steps = 0;
  simulation.cost = [&](std::int64_t, std::int64_t n, std::int64_t) {
    return 0.030 + 0.0002 * static_cast<double>(n) + (++n_steps == 50 ? 1.0 : 0.0);
  };
  simulation.run();
  EXPECT_LE(simulation.steps_of_long_prompt, 30000 / 144 + 60);
}

TEST(StepPlanner, SlowMachinesStillGetOnWithPrompts) {
  Simulation simulation;
  simulation.cost = [](std::int64_t, std::int64_t n, std::int64_t) {
    return 0.030 + 0.010 * static_cast<double>(n);
  };
  simulation.run();
  EXPECT_LE(simulation.steps_of_long_prompt, 30060 / 16 + 10);
}

TEST(StepCosts, TakesTheNearestNumberOfStreamsThatItKnows) {
  StepCosts costs;
  EXPECT_FALSE(costs.generation_seconds(4));
  costs.add({2, 0}, 0.2);
  costs.add({8, 0}, 0.8);
  EXPECT_EQ(costs.generation_seconds(2), 0.2);
  EXPECT_EQ(costs.generation_seconds(4), 0.2);
  EXPECT_EQ(costs.generation_seconds(5), 0.2);
  EXPECT_EQ(costs.generation_seconds(6), 0.8);
  EXPECT_EQ(costs.generation_seconds(30), 0.8);
  EXPECT_FALSE(costs.prompt_rows_within(1));
  costs.add({0, 512}, 1.0);
  EXPECT_FALSE(costs.prompt_rows_within(1)) << "without streams slices are of another size";
}

TEST(StepCosts, OneStepThatTookLongCountsLittle) {
  StepCosts costs;
  costs.add({8, 0}, 0.1);
  costs.add({8, 0}, 60);  // the machine slept
  EXPECT_LE(*costs.generation_seconds(8), 0.126);
  for (int i = 0; i < 20; ++i) costs.add({8, 0}, 0.4);
  EXPECT_NEAR(*costs.generation_seconds(8), 0.4, 0.01) << "what lasts is learnt";
}

TEST(StepCosts, RowsDoNotPayForTheEndThatCameFirst) {
  StepCosts costs;
  costs.add({1, 0}, 0.1);
  costs.add({1, 10, true}, 0.1 + 0.010 + 0.050);
  EXPECT_TRUE(costs.prompt_rows_within(1)) << "short prompts may have nothing else";
  costs.add({1, 24}, 0.1 + 0.024);
  costs.add({1, 48}, 0.1 + 0.048);
  EXPECT_NEAR(*costs.prompt_rows_within(0.1), 100, 1);
  costs.add({1, 16, true}, 0.1 + 0.016 + 0.050);
  EXPECT_NEAR(*costs.end_seconds(), 0.050, 1e-3);
}

}  // namespace
}  // namespace pleiad
