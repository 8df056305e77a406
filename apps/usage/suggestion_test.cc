#include "apps/usage/suggestion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pleiad::apps {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(TypingDistance, CountsLettersPutInLeftOutReplacedOrExchanged) {
  EXPECT_EQ(typing_distance("run", "run"), 0);
  EXPECT_EQ(typing_distance("runn", "run"), 1);
  EXPECT_EQ(typing_distance("rn", "run"), 1);
  EXPECT_EQ(typing_distance("ran", "run"), 1);
  EXPECT_EQ(typing_distance("rnu", "run"), 1);
  EXPECT_EQ(typing_distance("", "run"), 3);
  EXPECT_EQ(typing_distance("kitten", "sitting"), 3);
}

TEST(Suggestions, AreTheClosestOnes) {
  const std::vector<std::string> commands = {"run",  "serve", "show", "stop",
                                             "list", "ls",    "rm",   "ps"};
  EXPECT_THAT(suggestions("runn", commands), ElementsAre("run"));
  EXPECT_THAT(suggestions("RUN", commands), ElementsAre("run"));
  EXPECT_THAT(suggestions("sevre", commands), ElementsAre("serve"));
  EXPECT_THAT(suggestions("lsit", commands), ElementsAre("list"));
  EXPECT_THAT(suggestions("shop", commands), ElementsAre("show", "stop"));
}

TEST(Suggestions, AreNoneWhereNothingIsClose) {
  const std::vector<std::string> names = {"run", "serve", "--json", "-n"};
  EXPECT_THAT(suggestions("telephone", names), IsEmpty());
  EXPECT_THAT(suggestions("", names), IsEmpty());
  EXPECT_THAT(suggestions("--", names), IsEmpty());
  EXPECT_THAT(suggestions("-x", names), IsEmpty());
  EXPECT_THAT(suggestions(std::string(100'000, 'r'), names), IsEmpty());
}

TEST(Suggestions, KnowOptionsByTheirBeginning) {
  const std::vector<std::string> options = {"--temperature", "--top-k", "--top-p", "--threads"};
  EXPECT_THAT(suggestions("--temperatur", options), ElementsAre("--temperature"));
  EXPECT_THAT(suggestions("--tem", options), ElementsAre("--temperature"));
  EXPECT_THAT(suggestions("-temperature", options), ElementsAre("--temperature"));
  EXPECT_THAT(suggestions("--topk", options), ElementsAre("--top-k"));
}

TEST(DidYouMean, IsPartOfASentence) {
  EXPECT_EQ(did_you_mean("runn", {"run", "rm"}), "; did you mean 'run'?");
  EXPECT_EQ(did_you_mean("--top", {"--top-k", "--top-p"}),
            "; did you mean '--top-k' or '--top-p'?");
  EXPECT_EQ(did_you_mean("nonsense", {"run"}), "");
}

}  // namespace
}  // namespace pleiad::apps
