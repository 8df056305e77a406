// Running the battery: with replies that are written down, and with the demo model.

#include "base/testing/json.h"
#include "base/testing/paths.h"
#include "eval/battery_run.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "backend/cpu/cpu_backend.h"
#include "base/error.h"
#include "base/testing/sanitizers.h"
#include "engine/loaded_model.h"
#include "engine/media/media_prompt.h"
#include "eval/eval_testing.h"
#include "eval/graders/graders.h"

namespace pleiad::eval {
namespace {

const BatteryRunOptions kPlainRun;

std::vector<Check> sums() {
  Case one = {"1", "", Json::array(), {ask("1 + 1?", graders::ends_with_number(2))}, 20};
  Case talk = {"2",
               "Be short.",
               Json::array(),
               {ask("2 + 2?", graders::ends_with_number(4)),
                ask("and 1 more?", graders::ends_with_number(5))},
               20};
  return {{"sums", "adds", "", {one, talk}}, {"never", "cannot run", "no way", {one}}};
}

TEST(Battery, GoesOnWithWhatTheModelSaid) {
  std::vector<Json> conversations;
  const Answerer answer = [&](const ChatRequest& request,
                              const ReplyObserver&) -> Result<ChatReply> {
    conversations.push_back(request.messages);
    const auto asked = request.messages.back().at("content").get<std::string>();
    return saying(asked == "1 + 1?" ? "3" : asked == "2 + 2?" ? "4" : "That makes 5.", 7);
  };
  const BatteryReport report = run_battery(sums(), "scripted", answer, kPlainRun);
  EXPECT_TRUE(report.complete);
  ASSERT_EQ(report.checks.size(), 2U);
  const CheckResult& found = report.checks[0];
  ASSERT_EQ(found.n(), 2);
  EXPECT_EQ(found.right(), 1);
  EXPECT_EQ(found.cases[0].why, "3 instead of 2");
  EXPECT_EQ(found.cases[1].said, (std::vector<std::string>{"4", "That makes 5."}));
  EXPECT_EQ(found.cases[1].generated_tokens, 14);
  EXPECT_EQ(report.checks[1].skipped, "no way");
  EXPECT_EQ(report.checks[1].n(), 0);
  const Json last = json_from(
      R"([{"role": "system", "content": "Be short."}, {"role": "user", "content": "2 + 2?"},
          {"role": "assistant", "content": "4"}, {"role": "user", "content": "and 1 more?"}])");
  EXPECT_EQ(conversations.back(), last);
}

TEST(Battery, AWrongTurnEndsTheCaseAndSamplesHaveSeedsOfTheirOwn) {
  std::set<std::uint64_t> seeds;
  const Answerer answer = [&](const ChatRequest& request,
                              const ReplyObserver&) -> Result<ChatReply> {
    seeds.insert(*request.generation.sampling.seed);
    return saying("7");
  };
  BatteryRunOptions options;
  options.n_samples = 3;
  options.generation.sampling.seed = 10;
  const BatteryReport report = run_battery(sums(), "wrong", answer, options);
  EXPECT_EQ(seeds, (std::set<std::uint64_t>{10, 11, 12}));
  EXPECT_EQ(report.n(), 6);
  EXPECT_EQ(report.right(), 0);
  EXPECT_EQ(report.checks[0].cases[3].why, "turn 1: 7 instead of 4");
  EXPECT_EQ(report.checks[0].cases[3].said.size(), 1U);
}

TEST(Battery, StopsWhenToldAndPairsWhatBothHave) {
  const Answerer right = [](const ChatRequest& request, const ReplyObserver&) -> Result<ChatReply> {
    const auto asked = request.messages.back().at("content").get<std::string>();
    return saying(asked == "1 + 1?" ? "2" : asked == "2 + 2?" ? "4" : "5");
  };
  const Answerer wrong = [](const ChatRequest&, const ReplyObserver&) -> Result<ChatReply> {
    return saying("none");
  };
  BatteryRunOptions stopping;
  stopping.progress = [](std::int64_t done, std::int64_t total) {
    EXPECT_EQ(total, 2);
    return done < 1;
  };
  const BatteryReport a = run_battery(sums(), "a", right, kPlainRun);
  const BatteryReport b = run_battery(sums(), "b", wrong, stopping);
  EXPECT_FALSE(b.complete);
  const PairedCounts pairs = pair_reports(a, b);
  EXPECT_EQ(pairs.n, 1);
  EXPECT_EQ(pairs.only_a, 1);
  EXPECT_EQ(pairs.only_b, 0);
}

TEST(Battery, ShowsPicturesToModelsThatSee) {
  std::vector<ChatRequest> requests;
  const Answerer answer = [&](const ChatRequest& request,
                              const ReplyObserver&) -> Result<ChatReply> {
    requests.push_back(request);
    return saying("yes");
  };
  const auto checks = choose_checks(make_battery({}), {"compare-pictures", "sums"});
  BatteryRunOptions options;
  options.blind = "m has no vision tower";
  BatteryReport report = run_battery(checks, "m", answer, options);
  EXPECT_EQ(report.checks[0].skipped, "m has no vision tower");
  EXPECT_EQ(report.checks[0].n(), 0);
  EXPECT_GT(report.checks[1].n(), 0);
  for (const ChatRequest& request : requests) EXPECT_TRUE(request.media.empty());

  requests.clear();
  options.blind = "";
  options.vision.default_budget = 140;
  report = run_battery(checks, "m", answer, options);
  EXPECT_EQ(report.checks[0].skipped, "");
  ASSERT_EQ(report.checks[0].n(), std::ssize(checks[0].cases));
  EXPECT_EQ(report.checks[0].right(), 3);  // of twelve, yes is right for the three pairs alike
  const ChatRequest& first = requests.front();
  ASSERT_EQ(first.media.size(), 2U);
  ASSERT_EQ(first.media[0].parts.size(), 1U);
  EXPECT_EQ(first.media[0].parts[0].picture->width, 11 * 48);
  const Json& content = first.messages.at(0).at("content");
  EXPECT_EQ(content.at(1), json_from(R"({"type": "image", "media": 1})"));
  EXPECT_EQ(content.at(2).at("type"), "text");
}

TEST(Battery, PlaysSoundsToModelsThatHear) {
  std::vector<ChatRequest> requests;
  const Answerer answer = [&](const ChatRequest& request,
                              const ReplyObserver&) -> Result<ChatReply> {
    requests.push_back(request);
    return saying("yes");
  };
  const auto checks = choose_checks(make_battery({}), {"compare-sounds", "see-shapes"});
  BatteryRunOptions options;
  options.blind = "m has no vision tower";
  options.deaf = "m has no audio tower";
  BatteryReport report = run_battery(checks, "m", answer, options);
  EXPECT_EQ(report.checks[0].skipped, "m has no audio tower");
  EXPECT_EQ(report.checks[1].skipped, "m has no vision tower");
  EXPECT_TRUE(requests.empty());

  options.deaf = "";
  report = run_battery(checks, "m", answer, options);
  EXPECT_EQ(report.checks[0].skipped, "");
  EXPECT_EQ(report.checks[1].skipped, "m has no vision tower");
  EXPECT_EQ(report.checks[0].n(), 12);
  EXPECT_EQ(report.checks[0].right(), 3);  // of twelve, yes is right for the three pairs alike
  const ChatRequest& first = requests.front();
  ASSERT_EQ(first.media.size(), 2U);
  ASSERT_EQ(first.media[0].parts.size(), 1U);
  EXPECT_EQ(first.media[0].kind, ShownMedia::Kind::sound);
  EXPECT_GT(first.media[0].parts[0].sound->samples.size(), 8000U);
  const Json& content = first.messages.at(0).at("content");
  EXPECT_EQ(content.at(1), json_from(R"({"type": "audio", "media": 1})"));
  EXPECT_EQ(content.at(2).at("type"), "text");
}

TEST(Battery, KnowsWhatGuessingComesTo) {
  std::map<std::string, std::int64_t> guessed;
  for (const Check& check : make_battery({})) {
    const auto right = check.right_by_guessing();
    EXPECT_EQ(right.has_value(), check.has_pictures() || check.has_sounds()) << check.name;
    if (!right) continue;
    guessed[check.name] = *right;
    EXPECT_LE(*right * 2, std::ssize(check.cases)) << check.name;
    for (const Case& item : check.cases) {
      const Verdict verdict = item.turns.front().grade(saying(item.answer));
      EXPECT_TRUE(verdict.right) << check.name << "/" << item.id << ": " << verdict.why;
    }
  }
  // One of each question's cases, or half where there are two answers.
  const std::map<std::string, std::int64_t> expected = {
      {"see-shapes", 3},   {"read-pictures", 2}, {"compare-pictures", 6}, {"hear-words", 2},
      {"hear-several", 3}, {"hear-tones", 4},    {"compare-sounds", 6}};
  EXPECT_EQ(guessed, expected);
}

TEST(Battery, EveryCheckHasANameAndSeveralQuestions) {
  std::set<std::string> names;
  for (const Check& check : make_battery({})) {
    EXPECT_TRUE(names.insert(check.name).second) << check.name;
    EXPECT_GE(check.cases.size(), 4U) << check.name;
    std::set<std::string> ids;
    for (const Case& item : check.cases) {
      EXPECT_TRUE(ids.insert(item.id).second) << check.name;
      EXPECT_FALSE(item.turns.empty());
      for (const Turn& turn : item.turns) {
        if (check.skipped.empty()) {
          ASSERT_TRUE(turn.grade);
          EXPECT_FALSE(turn.grade(saying("Xyz.", 9)).right)
              << check.name << "/" << item.id << " is content with anything";
        }
      }
    }
  }
  EXPECT_EQ(choose_checks(make_battery({}), {"json", "sums", "json"}).size(), 2U);
  EXPECT_THROW(choose_checks(make_battery({}), {"jsonn"}), Error);
}

TEST(Battery, TheDemoModelPassesWhatItLearned) {
  cpu::CpuBackend backend({.isa = "", .n_threads = 1, .max_rows = 64});
  LoadOptions load;
  load.max_rows = 64;
  load.max_logit_rows = 1;
  LoadedModel model(source_path("models/demo/pleiad-demo.gguf"), backend, load);
  Session session(model, {});
  const Answerer answer = [&](const ChatRequest& request, const ReplyObserver& observer) {
    return answer_chat(session, model, request, observer);
  };
  BatteryRunOptions options;
  options.generation.sampling.temperature = 0;
  options.generation.stop_tokens = model.stop_tokens();
  options.vision = prompt_towers(model.checkpoint()).vision;
  ASSERT_TRUE(options.vision.sees()) << options.vision.problem;
  options.blind = "";
  options.audio = prompt_towers(model.checkpoint()).audio;
  ASSERT_TRUE(options.audio.hears()) << options.audio.problem;
  options.deaf = "";
  const auto checks = choose_checks(make_battery({}),
                                    {"calendar", "json", "tool-call", "see-shapes", "hear-words"});
  const BatteryReport report = run_battery(checks, "demo", answer, options);
  for (const CheckResult& check : report.checks)
    EXPECT_GE(check.right() * 2, check.n()) << check.name;
  if (kSanitized) return;
  const BatteryReport again = run_battery(checks, "demo", answer, options);
  const PairedCounts pairs = pair_reports(report, again);
  EXPECT_EQ(pairs.only_a + pairs.only_b, 0);
}

}  // namespace
}  // namespace pleiad::eval
