#include "store/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace pleiad::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(CheckParameter, KeepsWhatIsInRange) {
  EXPECT_EQ(check_parameter("temperature", 0.5).value(), Json(0.5));
  EXPECT_EQ(check_parameter("top_k", 40.0).value(), Json(40));
  EXPECT_TRUE(check_parameter("top_k", 40.0).value().is_number_integer());
  EXPECT_EQ(check_parameter("repeat_last_n", -1).value(), Json(-1));
  EXPECT_EQ(check_parameter("stop", "</s>").value(), Json("</s>"));
}

TEST(CheckParameter, NamesWhatIsOutOfRangeOrOfAnotherKind) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  const std::vector<std::pair<std::string, Json>> wrong = {
      {"temperature", -1},   {"temperature", nan}, {"temperature", infinite},
      {"temperature", "1"},  {"top_p", 0},         {"top_p", 1.5},
      {"min_p", -0.1},       {"typical_p", 1.5},   {"repeat_penalty", 0},
      {"repeat_last_n", -2}, {"top_k", 1.5},       {"top_k", -1},
      {"top_k", true},       {"seed", 1e300},      {"presence_penalty", 3},
      {"num_ctx", 0},        {"num_predict", -3},  {"stop", ""},
      {"stop", 7},           {"seed", nullptr},    {"top_k", Json::object()}};
  for (const auto& [name, value] : wrong) {
    const auto checked = check_parameter(name, value);
    ASSERT_FALSE(checked.ok()) << name << " " << to_text(value);
    EXPECT_THAT(checked.message(), HasSubstr(name + ": expected"));
  }
  EXPECT_THAT(check_parameter("num_gpu", 1).message(), HasSubstr("top_k"));
}

TEST(ParseParameter, ReadsNumbersAsTheyAreWritten) {
  EXPECT_EQ(parse_parameter("temperature", "1e-2").value(), Json(0.01));
  EXPECT_EQ(to_text(parse_parameter("temperature", "1").value()), "1");
  EXPECT_EQ(parse_parameter("seed", "42").value(), Json(42));
  for (const char* text : {"", "x", "1x", "0x10", "nan", "inf", "1 2", "1e999"}) {
    EXPECT_FALSE(parse_parameter("temperature", text).ok()) << text;
  }
}

TEST(CheckParameters, LeaveOutWhatIsWrongAndSaySo) {
  std::vector<std::string> problems;
  const auto kept = check_parameters(
      Json{{"top_k", 3}, {"stop", Json::array({"a", 7, "b"})}, {"mirostat", 1}}, problems);
  const Parameters expected = {{"top_k", 3}, {"stop", "a"}, {"stop", "b"}};
  EXPECT_EQ(kept, expected);
  EXPECT_THAT(problems, ElementsAre(HasSubstr("stop"), HasSubstr("mirostat")));
  EXPECT_EQ(to_text(parameters_to_json(kept)), R"({"top_k":3,"stop":["a","b"]})");
}

}  // namespace
}  // namespace pleiad::store
