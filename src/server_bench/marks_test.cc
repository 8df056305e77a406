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
              ElementsAre("late_start", "waited"));
}

TEST(Marks, PromptsOfAnotherLengthAreToldAndSpoilWhereWordsAreTokens) {
  const auto longer = [](OneRun& run) { run.answer.prompt_tokens = 40; };
  EXPECT_THAT(codes(with(longer)), ElementsAre("prompt_length"));
  EXPECT_EQ(summarize(with(longer), Figure::prefill).n_used, 3);
  Expectation exact = expectation();
  exact.exact = true;
  Row row = honest_row();
  longer(row.runs[1]);
  EXPECT_EQ(summarize(marked(row, exact), Figure::prefill).n_used, 2);
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

/// Pieces of four bytes at these seconds.
void set_pieces(Answer& answer, const std::vector<double>& seconds) {
  answer.pieces.clear();
  for (const double at : seconds) answer.pieces.push_back({at, 4});
  answer.n_pieces = static_cast<std::int64_t>(seconds.size());
  answer.text_bytes = 4 * seconds.size();
  answer.first_token_seconds = seconds.front();
  answer.last_token_seconds = seconds.back();
}

TEST(Marks, CountsAreComparedWithTheServersOwnCountOfItsText) {
  const auto counted_again = [](std::int64_t n) {
    return with([=](OneRun& run) { run.answer.recounted_tokens = n; });
  };
  EXPECT_THAT(codes(counted_again(250)), IsEmpty());
  EXPECT_THAT(codes(counted_again(193)), IsEmpty());  // texts are not always cut as they were made
  const Row row = counted_again(128);
  EXPECT_THAT(codes(row), ElementsAre("hidden_tokens"));
  EXPECT_THAT(row.runs[1].marks[0].text, HasSubstr("is 128 by its own count of that text"));
  EXPECT_EQ(summarize(row, Figure::generation).n_used, 2);
  EXPECT_THAT(codes(with([](OneRun& run) { run.answer.recount_failed = true; })),
              ElementsAre("not_recounted"));
}

TEST(Marks, AnAnswerWithoutTextSpoilsWhateverItCounts) {
  const Row row = with([](OneRun& run) {
    run.answer.n_pieces = 0;
    run.answer.text_bytes = 0;
    run.answer.generation_seconds = 1e-4;
  });
  EXPECT_THAT(codes(row), ElementsAre("empty"));
  EXPECT_EQ(summarize(row, Figure::generation).spread->max, 100);
}

TEST(Marks, WhatComesAtOnceAtTheBeginningWasMadeBefore) {
  std::vector<double> steady, bursts;
  for (int i = 0; i < 256; ++i) {
    steady.push_back(0.21 + 0.01 * i);
    bursts.push_back(i < 128 ? 0.21 + 1e-5 * i : 2.76);
  }
  EXPECT_THAT(codes(with([&](OneRun& run) { set_pieces(run.answer, steady); })), IsEmpty());
  const Row row = with([&](OneRun& run) { set_pieces(run.answer, bursts); });
  EXPECT_THAT(codes(row), ElementsAre("buffered"));
  EXPECT_THAT(row.runs[1].marks[0].text, HasSubstr("50 % of the text"));
}

TEST(Marks, APieceBeforeThereIsATokenIsFoundByThePauseBehindIt) {
  std::vector<double> seconds = {0.01};
  for (int i = 1; i < 257; ++i) seconds.push_back(0.2 + 0.01 * i);
  const Row row = with([&](OneRun& run) {
    set_pieces(run.answer, seconds);
    run.answer.prompt_seconds = 0.01;
  });
  EXPECT_EQ(row.runs[1].marks[0].code, "early_piece");
  EXPECT_EQ(summarize(row, Figure::first_token).n_used, 2);
}

TEST(Marks, NoModelWritesFiftyTimesAsFastAsItReads) {
  Row row = honest_row();
  for (OneRun& run : row.runs) {
    run.answer.first_token_seconds = 2;
    run.answer.last_token_seconds = 2.01;
    run.answer.prompt_seconds = 2;
    run.answer.generation_seconds = 0.01;
  }
  row.fresh.assign(3, probe(2));
  row.repeated.assign(3, probe(2));
  row = marked(row);
  EXPECT_THAT(codes(row), ElementsAre("implausible"));
  for (const Figure figure : kFigures) EXPECT_TRUE(summarize(row, figure).spoiled);
}

TEST(Marks, LongerPromptsMustTakeLongerByBothClocks) {
  Row row = honest_row();
  Answer longer = probe(2.01);
  longer.prompt_tokens = 260;
  longer.prompt_seconds = 2;
  row.recounts.assign(3, longer);
  EXPECT_THAT(codes(marked(row)), IsEmpty());
  for (Answer& answer : row.recounts) answer.prompt_seconds = 1;
  EXPECT_THAT(codes(marked(row)), ElementsAre("prompt_time"));
  EXPECT_TRUE(summarize(marked(row), Figure::prefill).spoiled);
}

TEST(Marks, ARunFarFromTheOthersIsLeftOut) {
  const Row row = with([](OneRun& run) {
    run.answer.generation_seconds = 3 * 2.56;
    run.answer.last_token_seconds = 0.21 + 3 * 2.55;
  });
  EXPECT_THAT(codes(row), ElementsAre("uneven"));
  EXPECT_EQ(summarize(row, Figure::generation).n_used, 2);
  EXPECT_EQ(summarize(row, Figure::generation).spread->min, 100);
}

TEST(Marks, TheNameInAnAnswerIsTheModelsThatWasAskedFor) {
  Expectation expected;
  expected.model = "gemma4:e2b";
  expected.listed = {"gemma4:e2b", "gemma4:e4b"};
  EXPECT_TRUE(is_model_asked_for("gemma4:e2b", expected));
  EXPECT_FALSE(is_model_asked_for("gemma4:e4b", expected));
  expected.model = "gpt-9";
  expected.listed = {"gpt-9", "gpt-9-mini"};
  EXPECT_TRUE(is_model_asked_for("gpt-9-2026-08-06", expected));
  EXPECT_FALSE(is_model_asked_for("gpt-9-mini", expected));
  expected.model = "any";  // of a server that has one, and takes any name
  expected.listed = {"/models/Gemma.gguf"};
  EXPECT_TRUE(is_model_asked_for("gemma", expected));
  EXPECT_FALSE(is_model_asked_for("llama", expected));
  const Row row = with([](OneRun& run) { run.answer.models = {"b"}; });
  EXPECT_THAT(codes(row), IsEmpty());  // nothing is listed: any name may be the model's
}

TEST(Marks, WithCompanyIsSpoiledWhatIsSpoiledAlone) {
  Row alone = honest_row();
  for (OneRun& run : alone.runs) run.answer.cached_tokens = 20;
  Expectation expected = expectation();
  expected.lone = lone_of(marked(alone));
  Row row = honest_row();
  row.n_parallel = 3;
  row.fresh.clear();
  row.repeated.clear();
  row = marked(row, expected);
  EXPECT_THAT(codes(row), ElementsAre("as_alone"));
  EXPECT_TRUE(summarize(row, Figure::prefill).spoiled);
  EXPECT_EQ(summarize(row, Figure::generation).n_used, 3);
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
