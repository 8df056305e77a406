#include "apps/pull/fit_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fit/model_work.h"
#include "fit/predict.h"
#include "pull/known_models.h"

namespace pleiad::apps {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

pull::Offer offer_of(const std::string& name, const std::string& type, std::uint64_t bytes) {
  pull::Offer offer;
  offer.name = name;
  offer.type = type;
  offer.files = {{"model", "sha256:a", bytes, 0}};
  return offer;
}

std::uint64_t memory_of(const char* member, convert::FileType type) {
  return fit::predict_memory(fit::ModelWork(*gemma4::find_member(member), type), 8192,
                             KvType::bf16);
}

TEST(FitVerdict, KnowsMembersOfTheFamilyByTheirNames) {
  const std::uint64_t e2b = memory_of("e2b", convert::FileType::q4_k_m);
  for (const char* name : {"gemma4:e2b", "gemma4:e2b-it-q4_K_M", "hf:google/gemma-4-E2B-it-GGUF@0a",
                           "localhost:5000/me/gemma_e2b:v1"}) {
    const FitVerdict verdict = judge_offer(offer_of(name, "Q4_K_M", 7'200'000'000), 64 * kGiB);
    EXPECT_TRUE(verdict.by_shape) << name;
    EXPECT_EQ(verdict.needed_bytes, e2b) << name;
    EXPECT_EQ(verdict.judgement.verdict, fit::Verdict::comfortable) << name;
  }
  EXPECT_EQ(judge_offer(offer_of("gemma4:26b", "", 1), kGiB).needed_bytes,
            memory_of("26b-a4b", convert::FileType::q4_k_m));
  EXPECT_EQ(judge_offer(offer_of("gemma4:latest", "Q4_K_M", 1), kGiB).needed_bytes,
            memory_of("e4b", convert::FileType::q4_k_m));
}

TEST(FitVerdict, TakesFilesForWhatIsNeededWhereItKnowsNothingElse) {
  for (const auto& [name, type] :
       {std::pair("someone/llama:8b", "Q4_K_M"), std::pair("gemma4:e2b-it", "IQ3_M"),
        std::pair("me/e2bx", "Q8_0"), std::pair("hf.co/me/gemma-v12be", "Q8_0")}) {
    const FitVerdict verdict = judge_offer(offer_of(name, type, 4 * kGiB), 64 * kGiB);
    EXPECT_FALSE(verdict.by_shape) << name;
    EXPECT_EQ(verdict.needed_bytes, 4 * kGiB + kGiB / 2) << name;
    EXPECT_THAT(fit_text(verdict), HasSubstr("by the size of its files"));
  }
}

TEST(FitVerdict, NamesOneThatFitsWhereThisOneDoesNot) {
  const FitVerdict verdict =
      judge_offer(offer_of("gemma4:31b", "Q4_K_M", 20'000'000'000), 8 * kGiB);
  EXPECT_EQ(verdict.judgement.verdict, fit::Verdict::does_not_fit);
  const pull::KnownModel* other = pull::find_known_model(verdict.instead);
  ASSERT_NE(other, nullptr);
  EXPECT_LE(static_cast<double>(size_of(*other).memory_bytes),
            fit::kComfortableMemory * static_cast<double>(8 * kGiB));
  EXPECT_THAT(fit_text(verdict), HasSubstr("does not fit; " + verdict.instead + " does"));
  EXPECT_EQ(judge_offer(offer_of("gemma4:31b", "Q4_K_M", 1), kGiB / 8).instead, "");
}

TEST(FitVerdict, EveryKnownModelHasASizeThatGrowsWithItsType) {
  std::uint64_t last = 0;
  std::string_view member;
  for (const pull::KnownModel& model : pull::known_models()) {
    const KnownSize size = size_of(model);
    EXPECT_GT(size.file_bytes, kGiB) << model.name;
    if (model.member == member) {
      EXPECT_GE(size.file_bytes, last) << model.name;
    }
    member = model.member;
    last = size.file_bytes;
  }
}

}  // namespace
}  // namespace pleiad::apps
