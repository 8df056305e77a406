#include "apps/fit/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"

namespace pleiad::apps {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

FitReport report(std::optional<double> operations) {
  FitReport report;
  report.question.members = {gemma4::find_member("e2b"), gemma4::find_member("31b")};
  report.question.types = {convert::FileType::q4_0};
  report.machine = fit::described_machine(60e9, std::uint64_t{16} << 30, operations);
  report.answers = fit::answer(report.question, report.machine);
  report.vision = fit::answer_vision(report.question, report.machine);
  report.audio = fit::answer_audio(report.question, report.machine);
  report.recommended = fit::recommend(report.answers);
  return report;
}

TEST(FitAsText, HasARowForEachModelAndWhatToTake) {
  const std::string text = fit_as_text(report(5e12));
  for (const char* words :
       {"another machine: 15.0 GB for a program, reads 60.0 GB/s, multiplies "
        "5.00 TFLOP/s",
        "A conversation of 8,192 tokens, keys and values in bf16", "\nGemma 4 E2B  q4_0",
        "comfortable\n\nGemma 4 31B", "does not fit: ", "To take: Gemma 4 E2B as q4_0, "}) {
    EXPECT_THAT(text, HasSubstr(words));
  }
  EXPECT_THAT(text, Not(HasSubstr("unknown")));
}

TEST(FitAsText, TellsWhatPicturesCost) {
  const std::string text = fit_as_text(report(5e12));
  EXPECT_THAT(text, HasSubstr("Pictures: "));
  EXPECT_THAT(text, HasSubstr("Gemma 4 E2B"));
  const Json json = parse_json(fit_as_json(report(5e12)), "report");
  EXPECT_EQ(json["vision"][0]["parameters"], 168'544'704);
  EXPECT_EQ(json["vision"][0]["default_budget"], 280);
  EXPECT_GT(json["vision"][0]["seconds"]["value"], 0.1);
  EXPECT_TRUE(parse_json(fit_as_json(report({})), "report")["vision"][1]["seconds"].is_null());
}

TEST(FitAsText, TellsWhatSoundCostsThoseThatHear) {
  EXPECT_THAT(fit_as_text(report(5e12)), HasSubstr("Sound: "));
  const Json audio = parse_json(fit_as_json(report(5e12)), "report")["audio"];
  ASSERT_EQ(audio.size(), 1U) << "31B does not";
  EXPECT_EQ(audio[0]["model"], "e2b");
  EXPECT_EQ(audio[0]["parameters"], 307'184'384);
  EXPECT_EQ(audio[0]["tokens"], 750);
  EXPECT_GT(audio[0]["seconds"]["value"], 0.05);
  FitReport deaf = report(5e12);
  deaf.audio.clear();
  EXPECT_THAT(fit_as_text(deaf), Not(HasSubstr("Sound: ")));
}

TEST(FitAsText, SaysUnknownWhereNothingIsKnown) {
  EXPECT_THAT(fit_as_text(report({})), HasSubstr("unknown"));
  EXPECT_THAT(fit_as_text(report({})), Not(HasSubstr("multiplies")));
}

TEST(FitAsJson, HasNullWhereNothingIsKnown) {
  const Json json = parse_json(fit_as_json(report({})), "report");
  EXPECT_TRUE(json["machine"]["matrix_tflop_s"].is_null());
  EXPECT_TRUE(json["machine"]["threads"].is_null());
  EXPECT_TRUE(json["models"][0]["prefill"].is_null());
  EXPECT_EQ(json["recommended"]["model"], "e2b");
  EXPECT_EQ(json["models"][1]["verdict"], "does not fit");
}

TEST(PublishedAsText, NamesSourcesOfTheModelsAskedAbout) {
  const std::string text = published_as_text(report({}).question);
  EXPECT_THAT(text, HasSubstr("ai.google.dev/edge/litert-lm/overview"));
  EXPECT_THAT(text, HasSubstr("Strix Halo"));
  EXPECT_THAT(text, Not(HasSubstr("Gemma 4 E4B")));
}

}  // namespace
}  // namespace pleiad::apps
