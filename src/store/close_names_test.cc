#include "store/close_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pleiad::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(CloseNames, OtherTagsOfTheModelComeFirst) {
  EXPECT_THAT(close_names("gemma4", {"gemma3:1b", "gemma4:e2b", "llama3:8b"}),
              ElementsAre("gemma4:e2b", "gemma3:1b"));
}

TEST(CloseNames, FindsWhatIsMistypedOrShortened) {
  EXPECT_THAT(close_names("Gema4:e2b", {"gemma4:e2b"}), ElementsAre("gemma4:e2b"));
  EXPECT_THAT(close_names("gemma", {"gemma4:e2b"}), ElementsAre("gemma4:e2b"));
  EXPECT_THAT(close_names("e4b-it", {"hf.co/google/e4b-it"}), ElementsAre("hf.co/google/e4b-it"));
}

TEST(CloseNames, SaysNothingWhereNothingIsNearAndNeverMoreThanThree) {
  EXPECT_THAT(close_names("mistral", {"gemma4:e2b", "demo:latest"}), IsEmpty());
  EXPECT_THAT(close_names("", {"a"}), IsEmpty());
  EXPECT_THAT(close_names(std::string(100'000, 'a'), {"a"}), IsEmpty());
  EXPECT_THAT(close_names("x", {"x:1", "x:2", "x:3", "x:4"}), SizeIs(3));
}

}  // namespace
}  // namespace pleiad::store
