#include "api/common/local_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/common/testing/request_problem.h"
#include "base/testing/json.h"

namespace pleiad::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct LocalRead {
  serving::AnswerRequest request;
  std::vector<std::string> warnings;
};

LocalRead read_local(const std::string& body) {
  const Json json = json_from(body);
  FieldReader fields(json);
  RequestNotes notes;
  LocalRead read;
  read_local_fields(fields, read.request, notes);
  notes.unknown(fields);
  read.warnings = notes.take();
  return read;
}

TEST(LocalFields, DoWhatTheySay) {
  const LocalRead all = read_local(R"({"think": true, "num_ctx": 4096, "repeat_penalty": 1.1,
      "cache_prompt": false, "stop_token_ids": [7, 262143], "typical_p": 0.9})");
  EXPECT_EQ(all.request.think, true);
  EXPECT_EQ(all.request.context_length, 4096);
  EXPECT_EQ(all.request.sampling.repeat_penalty, 1.1);
  EXPECT_FALSE(all.request.use_cache);
  EXPECT_EQ(all.request.sampling.typical_p, 0.9);
  EXPECT_THAT(all.request.stop_tokens, ElementsAre(7, 262143));
  EXPECT_THAT(all.warnings, IsEmpty());
  EXPECT_EQ(read_local(R"({"repetition_penalty": 1.2})").request.sampling.repeat_penalty, 1.2);
}

TEST(LocalFields, ThinkingHasSeveralNames) {
  EXPECT_EQ(read_local("{}").request.think, std::nullopt);
  EXPECT_EQ(read_local(R"({"think": "high"})").request.think, true);
  EXPECT_EQ(read_local(R"({"think": "none"})").request.think, false);
  EXPECT_EQ(read_local(R"({"chat_template_kwargs": {"enable_thinking": true}})").request.think,
            true);
  EXPECT_EQ(read_local(R"({"chat_template_kwargs": {"thinking": false}})").request.think, false);
  EXPECT_EQ(read_local(R"({"think": false, "chat_template_kwargs": {"enable_thinking": true}})")
                .request.think,
            false);
}

TEST(LocalFields, TellWhatHasNoEffect) {
  EXPECT_THAT(read_local(R"({"chat_template_kwargs": {"date": "today"}})").warnings,
              ElementsAre("unknown field: chat_template_kwargs.date"));
}

TEST(LocalFields, NameValuesThatCannotBe) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"think": 3})", "think: expected true, false"},
      {R"({"think": "deep"})", "think: expected one of"},
      {R"({"chat_template_kwargs": {"enable_thinking": 1}})",
       "chat_template_kwargs.enable_thinking: expected true or false"},
      {R"({"repeat_penalty": 0})", "repeat_penalty: expected a number above 0"},
      {R"({"num_ctx": -1})", "num_ctx: expected an integer"},
      {R"({"typical_p": 2})", "typical_p: expected a number"},
      {R"({"cache_prompt": 1})", "cache_prompt: expected true or false"},
      {R"({"stop_token_ids": 1})", "stop_token_ids: expected a list"},
      {R"({"stop_token_ids": [1, -1]})", "stop_token_ids[1]: expected a token's number"},
      {R"({"stop_token_ids": [4294967297]})", "stop_token_ids[0]: expected a token's number"},
  };
  for (const auto& [body, problem] : cases) {
    EXPECT_THAT(problem_of([text = body] { read_local(text); }), HasSubstr(problem)) << body;
  }
}

}  // namespace
}  // namespace pleiad::api
