#include "api/common/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/common/request_error.h"
#include "api/common/testing/request_problem.h"
#include "base/testing/json.h"

namespace pleiad::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Read {
  serving::AnswerRequest request;
  std::vector<std::string> warnings;
};

Read read(const std::string& body) {
  const Json json = json_from(body);
  FieldReader fields(json);
  Read read;
  read_extensions(fields, read.request, read.warnings);
  return read;
}

std::string options_problem(const std::string& body) {
  return problem_of([&] { read(body); });
}

TEST(Options, FillTheRequest) {
  const Read all = read(R"({"options": {"temperature": 0.2, "top_k": 5, "top_p": 0.5, "min_p": 0.1,
      "repeat_penalty": 1.1, "repeat_last_n": -1, "presence_penalty": 1, "frequency_penalty": -1,
      "seed": 7, "num_predict": 12, "num_ctx": 2048, "stop": ["a", "b"]},
      "keep_alive": "1m", "cache": false, "cache_debug": true, "forced_text": false,
      "any_property_order": true,
      "ignore_eos": true})");
  const serving::SamplingRequest& sampling = all.request.sampling;
  EXPECT_EQ(sampling.temperature, 0.2);
  EXPECT_EQ(sampling.top_k, 5);
  EXPECT_EQ(sampling.top_p, 0.5);
  EXPECT_EQ(sampling.min_p, 0.1);
  EXPECT_EQ(sampling.repeat_penalty, 1.1);
  EXPECT_EQ(sampling.repeat_last_n, -1);
  EXPECT_EQ(sampling.presence_penalty, 1);
  EXPECT_EQ(sampling.frequency_penalty, -1);
  EXPECT_EQ(sampling.seed, 7U);
  EXPECT_EQ(all.request.max_tokens, 12);
  EXPECT_EQ(all.request.context_length, 2048);
  EXPECT_EQ(all.request.stop, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(all.request.keep_alive->seconds, 60);
  EXPECT_FALSE(all.request.use_cache);
  EXPECT_TRUE(all.request.explain_cache);
  EXPECT_TRUE(all.request.ignore_end);
  EXPECT_FALSE(all.request.forced_text);
  EXPECT_TRUE(all.request.any_property_order);
  EXPECT_THAT(all.warnings, ElementsAre());
}

TEST(Options, LeaveTheModelsOwnWhereNothingIsSaid) {
  const Read none = read(R"({"options": {"seed": -1, "num_ctx": 0}})");
  EXPECT_FALSE(none.request.sampling.seed);
  EXPECT_FALSE(none.request.sampling.temperature);
  EXPECT_FALSE(none.request.context_length);
  EXPECT_FALSE(none.request.max_tokens);
  EXPECT_FALSE(none.request.stop);
  EXPECT_FALSE(none.request.keep_alive);
  EXPECT_TRUE(none.request.use_cache);
  EXPECT_TRUE(none.request.forced_text);
  EXPECT_FALSE(none.request.any_property_order);
}

TEST(Options, NameWhatHasNoEffect) {
  EXPECT_THAT(
      read(R"({"options": {"num_gpu": 99, "temprature": 1, "tfs_z": 1.0}})").warnings,
      ElementsAre(HasSubstr("options.num_gpu has no effect"), "unknown field: options.temprature"));
}

TEST(Options, RefuseSamplersThatWouldChangeTheAnswer) {
  EXPECT_THAT(options_problem(R"({"options": {"tfs_z": 0.5}})"), HasSubstr("options.tfs_z"));
  EXPECT_THAT(options_problem(R"({"options": {"mirostat": 2}})"), HasSubstr("options.mirostat"));
}

TEST(Options, AreHeldToTheirRanges) {
  for (const std::string bad :
       {R"("temperature": -1)", R"("temperature": "hot")", R"("top_k": -1)", R"("top_k": 1.5)",
        R"("top_p": 1.1)", R"("min_p": -0.1)", R"("typical_p": 1.5)", R"("repeat_penalty": 0)",
        R"("repeat_last_n": -2)", R"("presence_penalty": 3)", R"("num_predict": -3)",
        R"("num_ctx": -1)", R"("seed": 1e30)", R"("stop": 5)", R"("stop": [5])"}) {
    EXPECT_THAT(options_problem(R"({"options": {)" + bad + "}}"), HasSubstr("options."));
  }
  EXPECT_THAT(options_problem(R"({"options": []})"), HasSubstr("options: expected an object"));
}

TEST(Options, NameAFewOfVeryManyUnknownFields) {
  Json options = Json::object();
  for (int i = 0; i < 50; ++i) options["x" + std::to_string(i)] = 1;
  const Read many = read(to_text(Json({{"options", options}})));
  ASSERT_EQ(many.warnings.size(), 21U);
  EXPECT_EQ(many.warnings.back(), "and 30 more unknown fields");
}

}  // namespace
}  // namespace pleiad::api
