#include "fit/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "fit/plot.h"

namespace pleiad::fit {
namespace {

using convert::FileType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Question all_models() {
  Question question;
  for (const gemma4::FamilyMember& member : gemma4::family()) question.members.push_back(&member);
  question.types = {FileType::bf16, FileType::q8_0, FileType::q4_0};
  return question;
}

Machine described(double gb_s, double memory_gib) {
  return described_machine(gb_s * 1e9, static_cast<std::uint64_t>(memory_gib * (1 << 30)), {});
}

std::vector<Verdict> verdicts(const Question& question, const Machine& machine) {
  std::vector<Verdict> found;
  for (const Answer& row : answer(question, machine)) found.push_back(row.judgement.verdict);
  return found;
}

void expect_never_worse(const std::vector<Verdict>& better, const std::vector<Verdict>& worse) {
  ASSERT_EQ(better.size(), worse.size());
  for (std::size_t i = 0; i < better.size(); ++i) EXPECT_GE(better[i], worse[i]) << i;
  EXPECT_NE(better, worse);
}

TEST(Judge, SaysWhatIsMissing) {
  EXPECT_EQ(judge(10, 10, 100).verdict, Verdict::tight);
  EXPECT_EQ(judge(85, 100, kReadingRate).verdict, Verdict::comfortable);
  EXPECT_EQ(judge(85, 100, 4.9).reason, "slower than reading");
  EXPECT_EQ(judge(86, 100, 100).reason, "takes 86% of the memory");
  EXPECT_EQ(judge(3'000'000'000, 1'000'000'000, 100).reason, "2.0 GB more memory needed");
}

TEST(DescribedMachine, LeavesMemoryToTheSystem) {
  constexpr std::uint64_t kLarge = std::uint64_t{128} << 30;
  EXPECT_EQ(described(1, 128).memory_bytes, kLarge - kLarge / 10);
  EXPECT_EQ(described(1, 8).memory_bytes, std::uint64_t{6} << 30);
  EXPECT_EQ(described(1, 1).memory_bytes, 0U);
}

TEST(Answer, VerdictsFollowMemoryBandwidthAndContext) {
  const Question question = all_models();
  expect_never_worse(verdicts(question, described(100, 64)),
                     verdicts(question, described(100, 16)));
  expect_never_worse(verdicts(question, described(100, 64)), verdicts(question, described(10, 64)));
  Question longer = question;
  longer.context = 131'072;
  expect_never_worse(verdicts(question, described(100, 24)), verdicts(longer, described(100, 24)));
}

TEST(Answer, RefusesContextsThatAModelIsNotMadeFor) {
  Question question = all_models();
  question.context = 200'000;
  try {
    answer(question, described(100, 64));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("--ctx: Gemma 4 E2B is made for at most 131,072 tokens"));
  }
  question.members.erase(question.members.begin(), question.members.begin() + 2);
  EXPECT_EQ(answer(question, described(100, 64)).size(), 9U);
}

const Answer& recommended(const std::vector<Answer>& answers) {
  return answers.at(recommend(answers).value());
}

TEST(Recommend, TakesTheLargestModelThatIsFluentInItsBestType) {
  const auto fast = answer(all_models(), described(1000, 128));
  EXPECT_EQ(recommended(fast).member->key, "31b");
  EXPECT_EQ(recommended(fast).type, FileType::q8_0);  // 16 bits bring nothing more
  const auto slower = answer(all_models(), described(100, 128));
  EXPECT_EQ(recommended(slower).member->key, "26b-a4b");
  const auto small = answer(all_models(), described(100, 7));
  EXPECT_EQ(recommended(small).member->key, "e4b");
  EXPECT_EQ(recommended(small).type, FileType::q4_0);
}

TEST(Recommend, TakesTypesByTheirErrorAnd16BitsLast) {
  Question question = all_models();
  question.members.resize(1);
  question.types = all_file_types();
  std::ranges::reverse(question.types);
  std::vector<std::string_view> taken;
  while (!question.types.empty()) {
    const FileType type = recommended(answer(question, described(8000, 128))).type;
    taken.push_back(convert::name(type));
    std::erase(question.types, type);
  }
  EXPECT_THAT(taken, ElementsAre("q8_0", "q6_k", "fp8_dynamic", "fp8", "q5_k", "q4_k_m", "q4_k_s",
                                 "q4_0", "nvfp4a16", "nvfp4", "bf16", "f16"));
}

TEST(Recommend, TakesWhatIsFastestWhereNothingIsFluent) {
  const auto slow = answer(all_models(), described(10, 64));
  EXPECT_EQ(recommended(slow).member->key, "e2b");
  EXPECT_EQ(recommended(slow).type, FileType::q4_0);
  const auto tight = answer(all_models(), described(2, 64));
  EXPECT_EQ(recommended(tight).judgement.verdict, Verdict::tight);
  EXPECT_FALSE(recommend(answer(all_models(), described(100, 2))));
}

TEST(DecodeChart, HasALineAPointAndWhatWasPublishedForEachModel) {
  const Question question = all_models();
  const chart::XyChart chart = decode_chart(question, described(100, 64));
  ASSERT_EQ(chart.series.size(), 5U + 5U + 4U);  // of the 12B nothing published is known here
  EXPECT_TRUE(chart.series[0].line);
  EXPECT_EQ(chart.series[5].points.at(0).x, 100);
  EXPECT_LT(*chart.series[5].points.at(0).low, chart.series[5].points.at(0).y);
  EXPECT_GT(chart.series[10].points.size(), 5U);
  EXPECT_EQ(chart.series[10].colour, chart.series[0].colour);
  EXPECT_THAT(chart::to_svg(chart), HasSubstr("GB10"));
}

}  // namespace
}  // namespace pleiad::fit
