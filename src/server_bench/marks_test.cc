#include "server_bench/marks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server_bench/report.h"

namespace pleiad::server_bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using OneRun = Run;  // in a test, Run is a word of GoogleTest

constexpr std::int64_t kOverhead = 10;

/// 26 tokens of a prompt in 0.2 s, 256 generated in 2.56 s; both clocks agree.
Answer honest() {
  Answer answer;
  answer.first_token_seconds = 0.21;
  answer.last_token_seconds = 0.21 + 2.55;
  answer.total_seconds = 2.77;
  answer.n_pieces = 256;
  answer.text_bytes = 1000;
  answer.finish_reason = "length";
  answer.prompt_tokens = 26;
  answer.cached_tokens = 0;
  answer.generated_tokens = 256;
  answer.prompt_seconds = 0.2;
  answer.generation_seconds = 2.56;
  answer.load_seconds = 0;
  return answer;
}

Run honest_run() {
  Run run;
  run.answer = honest();
  run.running = {{"a:latest", 4096}};
  run.context_length = 4096;
  return run;
}

/// A prompt asked for one token.
Answer probe(double seconds, std::int64_t cached = 0) {
  Answer answer;
  answer.n_pieces = 1;
  answer.first_token_seconds = seconds;
  answer.prompt_seconds = seconds;
  answer.cached_tokens = cached;
  answer.prompt_tokens = 26;
  return answer;
}

Row honest_row() {
  Row row;
  row.shape = {26, 256};
  row.runs.assign(3, honest_run());
  row.fresh.assign(3, probe(0.21));
  row.repeated.assign(3, probe(0.2));
  return row;
}

Expectation expectation() {
  Expectation expected;
  expected.model = "a";
  expected.product = Product::ollama;
  expected.overhead = kOverhead;
  expected.counted = true;
  expected.context_length = 4096;
  return expected;
}

Row marked(Row row, const Expectation& expected = expectation()) {
  mark(row, expected);
  return row;
}

/// The same thing happens in the second run.
template <typename Change>
Row with(const Change& change) {
  Row row = honest_row();
  change(row.runs[1]);
  return marked(row);
}

bool prefill_is_shown(const Row& row) { return summarize(row, Figure::prefill).spread.has_value(); }

TEST(Marks, AnHonestServerHasNone) { EXPECT_THAT(codes(marked(honest_row())), IsEmpty()); }

TEST(Marks, ACacheHitThatIsToldSpoilsThePrefillOfItsRun) {
  Row row = with([](OneRun& run) { run.answer.cached_tokens = 20; });
  EXPECT_THAT(codes(row), ElementsAre("cache_hit"));
  EXPECT_THAT(row.runs[1].marks[0].text, HasSubstr("20 of 26 prompt tokens"));
  EXPECT_EQ(summarize(row, Figure::prefill).n_used, 2);
  EXPECT_EQ(summarize(row, Figure::first_token).n_used, 2);
  EXPECT_EQ(summarize(row, Figure::generation).n_used, 3);
  for (OneRun& run : row.runs) run.answer.cached_tokens = 20;
  row = marked(row);
  EXPECT_FALSE(prefill_is_shown(row));
  EXPECT_TRUE(summarize(row, Figure::prefill).spoiled);
}

TEST(Marks, TheTemplateInTheCacheIsNoHitAndIsNotCounted) {
  const Row row = with([](OneRun& run) {
    run.answer.cached_tokens = kOverhead;
    run.answer.prompt_seconds = 0.16;
  });
  EXPECT_THAT(codes(row), IsEmpty());
  EXPECT_DOUBLE_EQ(*value_of(row.runs[1].answer, Figure::prefill), 16 / 0.16);
}

TEST(Marks, ACacheThatIsNotToldIsFoundByItsRepeats) {
  Row row = honest_row();
  row.repeated.assign(3, probe(0.05));
  EXPECT_THAT(codes(marked(row)), ElementsAre("untold_cache"));
  EXPECT_TRUE(prefill_is_shown(marked(row)));  // its runs were as slow as new prompts
  row.repeated.assign(3, probe(0.05, 20));
  EXPECT_THAT(codes(marked(row)), IsEmpty());  // it is told
}

TEST(Marks, ARunAsFastAsARepeatIsAHitWhateverTheServerSays) {
  Row row = honest_row();
  row.repeated.assign(3, probe(0.05));
  row.runs[0].answer.first_token_seconds = 0.06;
  row.runs[0].answer.prompt_seconds = 0.05;
  row = marked(row);
  EXPECT_THAT(codes(row), ElementsAre("untold_cache", "silent_cache"));
  EXPECT_EQ(summarize(row, Figure::prefill).n_used, 2);
}

TEST(Marks, RepeatsThatAreALittleFasterAreNoCache) {
  const std::vector<double> fresh = {0.20, 0.21, 0.22};
  EXPECT_FALSE(cache_evidence(fresh, {0.15, 0.10, 0.12}, 0.005).visible);
  EXPECT_TRUE(cache_evidence(fresh, {0.13, 0.10, 0.12}, 0.005).visible);
  EXPECT_FALSE(cache_evidence({0.006, 0.007}, {0.002, 0.002}, 0.005).visible);  // noise
  EXPECT_FALSE(cache_evidence({}, {}, 0).visible);
}

TEST(Marks, LoadingBetweenRunsSpoilsTheFirstToken) {
  const Row row = with([](OneRun& run) {
    run.answer.load_seconds = 1.5;
    run.answer.first_token_seconds += 1.5;
    run.answer.last_token_seconds += 1.5;
  });
  EXPECT_THAT(codes(row), ElementsAre("reload"));
  EXPECT_EQ(summarize(row, Figure::first_token).n_used, 2);
  EXPECT_EQ(summarize(row, Figure::generation).n_used, 3);
}

TEST(Marks, MillisecondsOfLoadingAreUsualForOllamaAndALoadForPleiad) {
  Row row = honest_row();
  row.runs[0].answer.load_seconds = 0.05;
  EXPECT_THAT(codes(marked(row)), IsEmpty());
  Expectation ours = expectation();
  ours.product = Product::pleiad;
  EXPECT_THAT(codes(marked(row, ours)), ElementsAre("reload"));
}

TEST(Marks, TheModelsInMemoryAreLookedAt) {
  EXPECT_THAT(codes(with([](OneRun& run) {
                run.running->push_back({"b:latest", 2048});
              })),
              ElementsAre("other_models"));
  EXPECT_THAT(codes(with([](OneRun& run) { run.running->clear(); })), ElementsAre("unloaded"));
  EXPECT_THAT(codes(with([](OneRun& run) { run.context_length = 2048; })),
              ElementsAre("context_changed"));
  EXPECT_THAT(codes(with([](OneRun& run) { run.running.reset(); })), IsEmpty());  // not told
}

TEST(Marks, TheContextThatWasAskedForIsLookedFor) {
  Expectation wanted = expectation();
  wanted.asked_context = 4096;
  EXPECT_THAT(codes(marked(honest_row(), wanted)), IsEmpty());
  wanted.asked_context = 8192;
  const Row row = marked(honest_row(), wanted);
  EXPECT_THAT(codes(row), ElementsAre("context_changed"));
  EXPECT_THAT(row.runs[0].marks[0].text, HasSubstr("8,192 was asked for, and it is 4,096"));
  Row untold = honest_row();
  for (OneRun& run : untold.runs) run.context_length.reset();
  EXPECT_THAT(codes(marked(untold, wanted)), ElementsAre("context_untold"));
  EXPECT_THAT(codes(marked(untold)), IsEmpty());  // nobody asked
}

TEST(Marks, ThoughtsAreFoundWhereTheyAreShownCountedOrHidden) {
  EXPECT_THAT(codes(with([](OneRun& run) { run.answer.thinking_bytes = 300; })),
              ElementsAre("thinking"));
  EXPECT_THAT(codes(with([](OneRun& run) { run.answer.thinking_tokens = 12; })),
              ElementsAre("thinking"));
  const Row hidden = with([](OneRun& run) {
    run.answer.n_pieces = 40;
    run.answer.text_bytes = 160;
    run.answer.first_token_seconds += 2.16;
  });
  EXPECT_THAT(codes(hidden), ElementsAre("hidden_tokens"));
  EXPECT_EQ(summarize(hidden, Figure::client_generation).n_used, 2);
}

TEST(Marks, PiecesOfSeveralTokensHideNothing) {
  EXPECT_THAT(codes(with([](OneRun& run) { run.answer.n_pieces = 40; })), IsEmpty());
}

TEST(Marks, AnAnswerInOnePieceHidesWhenItBegan) {
  const Row row = with([](OneRun& run) {
    run.answer.n_pieces = 1;
    run.answer.first_token_seconds = run.answer.last_token_seconds = 2.76;
  });
  EXPECT_THAT(codes(row), ElementsAre("buffered"));
  EXPECT_THAT(row.runs[1].marks[0].text, HasSubstr("256 tokens came in one piece"));
  for (const Figure ours : {Figure::first_token, Figure::client_prefill}) {
    EXPECT_EQ(summarize(row, ours).n_used, 2);
  }
  EXPECT_EQ(summarize(row, Figure::generation).n_used, 3);
  EXPECT_THAT(codes(with([](OneRun& run) {
                run.answer.n_pieces = 1;
                run.answer.generated_tokens.reset();
              })),
              ElementsAre("no_counts", "buffered"));
}

TEST(Marks, PiecesThatComeTogetherAtTheEndHideWhenTheyWereMade) {
  const auto hold_back = [](OneRun& run) { run.answer.first_token_seconds = 2.75; };
  const Row row = with(hold_back);
  EXPECT_THAT(codes(row), ElementsAre("buffered"));
  EXPECT_EQ(summarize(row, Figure::client_generation).n_used, 2);
  // Without the server's account, prompts for one token show how early it could begin.
  Row plain = honest_row();
  for (OneRun& run : plain.runs) {
    run.answer.prompt_seconds.reset();
    run.answer.generation_seconds.reset();
  }
  EXPECT_THAT(codes(marked(plain)), IsEmpty());
  for (OneRun& run : plain.runs) hold_back(run);
  plain = marked(plain);
  EXPECT_THAT(codes(plain), ElementsAre("buffered"));
  EXPECT_TRUE(summarize(plain, Figure::first_token).spoiled);
}

TEST(Marks, AnEarlyStopIsToldAndAVeryEarlyOneSpoilsTheRate) {
  const auto stop_after = [](std::int64_t n_tokens) {
    return with([&](OneRun& run) {
      run.answer.generated_tokens = n_tokens;
      run.answer.n_pieces = n_tokens;
      run.answer.finish_reason = "stop";
      run.answer.generation_seconds = static_cast<double>(n_tokens) / 100;
      run.answer.last_token_seconds = 0.21 + static_cast<double>(n_tokens - 1) / 100;
    });
  };
  EXPECT_THAT(codes(stop_after(200)), ElementsAre("early_stop"));
  EXPECT_EQ(summarize(stop_after(200), Figure::generation).n_used, 3);
  EXPECT_EQ(summarize(stop_after(20), Figure::generation).n_used, 2);
  EXPECT_THAT(stop_after(20).runs[1].marks[0].text, HasSubstr("after 20 of 256 tokens (stop)"));
}

TEST(Marks, TheTwoClocksMustAgree) {
  EXPECT_THAT(codes(with([](OneRun& run) { run.answer.generation_seconds = 1.28; })),
              ElementsAre("clocks_differ"));
  EXPECT_THAT(codes(with([](OneRun& run) { run.answer.prompt_seconds = 0.5; })),
              ElementsAre("clocks_differ"));
  EXPECT_THAT(codes(with([](OneRun& run) {
                run.answer.first_token_seconds += 1;
                run.answer.last_token_seconds += 1;
              })),
              ElementsAre("waited"));
}

TEST(Marks, PromptsOfAnotherLengthAreTold) {
  EXPECT_THAT(codes(with([](OneRun& run) { run.answer.prompt_tokens = 40; })),
              ElementsAre("prompt_length"));
}

TEST(Marks, AServerThatCountsNothingIsCountedByPieces) {
  Row row = honest_row();
  for (OneRun& run : row.runs) {
    run.answer = {};
    run.answer.first_token_seconds = 0.2;
    run.answer.last_token_seconds = 2.75;
    run.answer.n_pieces = 256;
    run.answer.finish_reason = "length";
  }
  row.fresh.clear();
  row.repeated.clear();
  row = marked(row);
  EXPECT_THAT(codes(row), ElementsAre("no_counts"));
  EXPECT_FALSE(summarize(row, Figure::generation).spread);
  EXPECT_NEAR(summarize(row, Figure::client_generation).spread->median, 100, 1e-9);
}

TEST(Marks, ClocksHeatAndBatteryAreOfTheRow) {
  Row row = honest_row();
  row.runs[0].machine = {3000, 5, false};
  row.runs[1].machine = {2000, 7, true};
  Expectation expected = expectation();
  expected.machine = {3000, 5, false};
  EXPECT_THAT(codes(marked(row, expected)), ElementsAre("clock", "throttled", "battery"));
}

TEST(Marks, RequestsTogetherFailAloudAndAreSeenToQueue) {
  Row row = honest_row();
  row.n_parallel = 3;
  row.fresh.clear();
  row.repeated.clear();
  for (OneRun& run : row.runs) run.began = 10;
  row.runs[1].answer.first_token_seconds = 0.4;  // begins while the first one goes on
  EXPECT_THAT(codes(marked(row)), IsEmpty());
  double at = 10;
  for (OneRun& run : row.runs) run.began = at += 5;
  row.runs[2].failure = "503: busy";
  row = marked(row);
  EXPECT_THAT(codes(row), ElementsAre("failed", "one_by_one"));
  EXPECT_THAT(row.marks[0].text, HasSubstr("1 of 3 requests failed; the last: 503: busy"));
  EXPECT_EQ(summarize(row, Figure::generation).n_used, 2);
}

}  // namespace
}  // namespace pleiad::server_bench
