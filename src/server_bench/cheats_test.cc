// Fake servers that cheat or misbehave are marked and show no false figure; honest ones show all
// of theirs and have no mark.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/testing/sanitizers.h"
#include "server_bench/protocol.h"
#include "server_bench/report.h"
#include "server_bench/testing/fake_server.h"

namespace pleiad::server_bench {
namespace {

using testing::Behaviour;
using ::testing::Contains;
using testing::Dialect;
using ::testing::IsEmpty;

constexpr Shape kShape = {40, 128};
constexpr int kTogether = 4;

bool is_spoken(const Behaviour& behaviour, Dialect dialect) {
  if (behaviour.ollama_only) return dialect == Dialect::ollama;
  if (behaviour.not_ollama && dialect == Dialect::ollama) return false;
  return !behaviour.needs_durations || dialect != Dialect::openai;
}

ModelResult measured(const Behaviour& behaviour, Dialect dialect) {
  const auto fake = std::make_shared<testing::FakeServer>(behaviour, dialect);
  Server server = Server::connect(testing::fake_connection(fake), std::nullopt);
  Plan plan;
  plan.shapes = {kShape};
  plan.n_parallel = {kTogether};
  ModelResult result;
  result.model = "a";
  try {
    measure(server, plan, {}, result);
  } catch (const Error& error) {
    result.failure = error.what();
  }
  return result;
}

/// What the fake's machine really does, and how far a figure may be from it.
struct Truth {
  double value = 0;
  double least = 0;  // share of it
  double most = 0;
};

Truth truth_of(const testing::Speed& speed, Figure figure, bool alone) {
  switch (figure) {
    case Figure::generation:
    case Figure::client_generation:
      return {1 / speed.token, 0.8, 1.2};
    case Figure::prefill:
      return {1 / speed.prompt_token, 0.6, 1.2};
    case Figure::client_prefill:
      return {1 / speed.prompt_token, 0, 1.2};
    case Figure::first_token:
    case Figure::total:
      break;
  }
  // Others, a queue and a load may come before it, and our clock sees that.
  const double first = speed.way + 26 * speed.prompt_token;
  return {first, 0.8, alone ? 30 : 1e9};
}

/// The figures of a row that are shown and false, in words.
std::vector<std::string> lies(const Row& row, const testing::Speed& speed) {
  std::vector<std::string> found;
  for (const Figure figure : kFigures) {
    const auto spread = summarize(row, figure).spread;
    if (!spread) continue;
    const Truth truth = truth_of(speed, figure, row.n_parallel == 1);
    for (const double value : {spread->median, spread->min, spread->max}) {
      if (value >= truth.least * truth.value && value <= truth.most * truth.value) continue;
      found.push_back(fmt::format("{} is {}, in truth {}", name(figure), value, truth.value));
      break;
    }
  }
  if (const auto total = summarize(row, Figure::total).spread) {
    if (total->max > 1.05 * kTogether / speed.token) {
      found.push_back(
          fmt::format("the sum is {}, in truth {} at most", total->max, kTogether / speed.token));
    }
  }
  return found;
}

TEST(Cheats, ServersThatCheatAreMarkedAndShowNoFalseFigure) {
  int n_cheats = 0;
  for (const Behaviour& behaviour : testing::behaviours()) {
    if (behaviour.mark.empty()) continue;
    ++n_cheats;
    for (const Dialect dialect : {Dialect::ollama, Dialect::llama_server, Dialect::openai}) {
      if (!is_spoken(behaviour, dialect)) continue;
      if (kSanitized && n_cheats % 3 != static_cast<int>(dialect)) continue;
      SCOPED_TRACE(behaviour.name + ", " + testing::name(dialect));
      const ModelResult result = measured(behaviour, dialect);
      EXPECT_EQ(result.failure, "");
      if (result.rows.size() != 2) continue;
      const Row& row = result.rows[behaviour.lies_in_company ? 1 : 0];
      EXPECT_THAT(codes(row), Contains(behaviour.mark));
      for (const Row& one : result.rows) EXPECT_THAT(lies(one, behaviour.speed), IsEmpty());
    }
  }
  EXPECT_GE(n_cheats, 34);
}

TEST(Cheats, HonestServersHaveNoMarkAndShowAllTheirFigures) {
  int n_honest = 0;
  for (const Behaviour& behaviour : testing::behaviours()) {
    if (!behaviour.mark.empty()) continue;
    ++n_honest;
    for (const Dialect dialect : {Dialect::ollama, Dialect::llama_server, Dialect::openai}) {
      SCOPED_TRACE(behaviour.name + ", " + testing::name(dialect));
      const ModelResult result = measured(behaviour, dialect);
      ASSERT_EQ(result.failure, "");
      ASSERT_EQ(result.rows.size(), 2U);
      for (const Row& row : result.rows) {
        EXPECT_THAT(codes(row), IsEmpty());
        EXPECT_THAT(lies(row, behaviour.speed), IsEmpty());
        for (const Figure figure : kFigures) {
          const bool told = figure != Figure::generation && figure != Figure::prefill;
          const int n = row.n_parallel * Plan().n_runs;
          EXPECT_EQ(summarize(row, figure).n_used, told || dialect != Dialect::openai ? n : 0);
        }
      }
      EXPECT_TRUE(summarize(result.rows[1], Figure::total).spread);
    }
  }
  EXPECT_GE(n_honest, 10);
}

}  // namespace
}  // namespace pleiad::server_bench
