#include "model/checkpoint_generation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace pleiad {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string error_of(std::string_view json) {
  try {
    (void)parse_generation_config(json, "generation_config.json");
  } catch (const LoadError& error) {
    return error.what();
  }
  return "no error";
}

TEST(GenerationConfig, ReadsWhatTheModelRecommends) {
  const GenerationDefaults defaults = parse_generation_config(
      R"({"do_sample":true,"eos_token_id":[1,106,50,1],"temperature":1.0,"top_k":64,"top_p":0.95})",
      "g");
  EXPECT_EQ(defaults.temperature, 1.0);
  EXPECT_EQ(defaults.top_k, 64);
  EXPECT_EQ(defaults.top_p, 0.95);
  EXPECT_THAT(defaults.stop_tokens, ElementsAre(1, 106, 50));
}

TEST(GenerationConfig, ReadsWhatIsNeverToBeChosen) {
  EXPECT_THAT(parse_generation_config(R"({"suppress_tokens":[258883,258882,258883]})", "g")
                  .suppressed_tokens,
              ElementsAre(258'883, 258'882));
  EXPECT_TRUE(
      parse_generation_config(R"({"suppress_tokens":null})", "g").suppressed_tokens.empty());
  EXPECT_THAT(error_of(R"({"suppress_tokens":7})"),
              HasSubstr("'suppress_tokens': expected a list of at most 1000 token numbers"));
  EXPECT_THAT(error_of(R"({"suppress_tokens":[-1]})"), HasSubstr("'suppress_tokens'"));
}

TEST(GenerationConfig, LeavesOpenWhatTheFileDoesNotSay) {
  const GenerationDefaults defaults =
      parse_generation_config(R"({"top_k":null,"eos_token_id":7})", "g");
  EXPECT_EQ(defaults.temperature, std::nullopt);
  EXPECT_EQ(defaults.top_k, std::nullopt);
  EXPECT_THAT(defaults.stop_tokens, ElementsAre(7));
}

TEST(GenerationConfig, NoSamplingMeansTemperatureZero) {
  EXPECT_EQ(parse_generation_config(R"({"do_sample":false,"temperature":1.0})", "g").temperature,
            0.0);
}

TEST(GenerationConfig, NamesEveryFieldThatIsWrong) {
  EXPECT_THAT(error_of(R"({"temperature":"hot","top_k":-1,"top_p":1.5,"eos_token_id":["a"]})"),
              AllOf(HasSubstr("generation_config.json: 4 problems"),
                    HasSubstr("'temperature': expected a number from 0 to 100, found \"hot\""),
                    HasSubstr("'top_k': expected a whole number, 0 or more, found -1"),
                    HasSubstr("'top_p': expected a number from 0 to 1, found 1.5"),
                    HasSubstr("'eos_token_id': expected a token number or a list of them")));
  EXPECT_THAT(error_of(R"({"eos_token_id":-1})"), HasSubstr("'eos_token_id'"));
  EXPECT_THAT(error_of(R"({"eos_token_id":1e9})"), HasSubstr("'eos_token_id'"));
  EXPECT_THAT(error_of(R"({"do_sample":1})"), HasSubstr("'do_sample': expected true or false"));
  EXPECT_THAT(error_of(R"({"eos_token_id":[[1]]})"), HasSubstr("found an array"));
  EXPECT_THAT(error_of("{"), HasSubstr("not JSON"));
  EXPECT_THAT(error_of("[]"), HasSubstr("expected a JSON object"));
}

}  // namespace
}  // namespace pleiad
