#include "bench/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace pleiad::bench {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> names(const std::vector<Case>& plan) {
  std::vector<std::string> result;
  for (const Case& test : plan) result.push_back(test.name());
  return result;
}

std::string error_of(const PlanOptions& options, std::int64_t context_length) {
  try {
    make_plan(options, context_length);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(MakePlan, CombinesSizesDepthsAndBatches) {
  PlanOptions options;
  options.prompts = {512, 2048};
  options.depths = {0, 4096};
  options.batches = {1, 8};
  EXPECT_THAT(names(make_plan(options, 8192)),
              ElementsAre("pp512", "pp2048", "tg64", "tg64 x8", "pp512@d4096", "pp2048@d4096",
                          "tg64@d4096", "tg64@d4096 x8"));
  options.kv_types = {KvType::bf16, KvType::f32};
  EXPECT_EQ(make_plan(options, 8192).size(), 16U);
}

TEST(MakePlan, ASizeOfZeroIsNone) {
  PlanOptions options;
  options.prompts = {0};
  EXPECT_THAT(names(make_plan(options, 8192)), ElementsAre("tg64"));
  options.generations = {0};
  EXPECT_THAT(error_of(options, 8192), HasSubstr("nothing to measure"));
}

TEST(MakePlan, SaysWhatDoesNotFitIntoTheContext) {
  PlanOptions options;
  EXPECT_EQ(names(make_plan(options, 512)).size(), 2U);
  EXPECT_THAT(error_of(options, 511), AllOf(HasSubstr("--prompt"), HasSubstr("511")));
  options.depths = {1000};
  options.prompts = {0};
  EXPECT_THAT(error_of(options, 1024), AllOf(HasSubstr("--generate"), HasSubstr("1,064")));
}

TEST(Case, CountsTheTokensOfAllSequences) {
  EXPECT_EQ((Case{TestKind::generation, 64, 0, 8, KvType::bf16}.total_tokens()), 512);
}

}  // namespace
}  // namespace pleiad::bench
