#include <gtest/gtest.h>

#include "api/common/testing/api_harness.h"
#include "api/openai/openai_routes.h"
#include "base/testing/json.h"

namespace pleiad::api::openai {
namespace {

constexpr const char* kEmbeddings = "/v1/embeddings";

class Embeddings : public testing::Test {
 protected:
  Embeddings() {
    add_openai_routes(api_.router, api_.context);
    serving::EmbedResult result;
    result.embeddings = {{1.0F, -0.5F}, {0.25F, 0.0F}};
    result.prompt_tokens = 7;
    api_.service.embedding = result;
  }

  static Json with(const std::string& key, Json value) {
    Json body = {{"model", "demo"}, {"input", {"a", "b"}}};
    body[key] = std::move(value);
    return body;
  }

  ApiHarness api_;
};

TEST_F(Embeddings, GivesNumbers) {
  EXPECT_EQ(json_of(api_.post(kEmbeddings, with("user", "u"))), json_from(R"({
    "object": "list",
    "data": [{"object": "embedding", "index": 0, "embedding": [1.0, -0.5]},
             {"object": "embedding", "index": 1, "embedding": [0.25, 0.0]}],
    "model": "demo", "usage": {"prompt_tokens": 7, "total_tokens": 7}})"));
  EXPECT_EQ(api_.service.embeds[0].inputs, (std::vector<std::string>{"a", "b"}));
  EXPECT_FALSE(api_.service.embeds[0].truncate);
}

TEST_F(Embeddings, GivesLittleEndianFloatsAsBase64) {
  const Json body = json_of(api_.post(kEmbeddings, with("encoding_format", "base64")));
  EXPECT_EQ(body["data"][0]["embedding"], "AACAPwAAAL8=");  // 00 00 80 3f 00 00 00 bf
}

TEST_F(Embeddings, HandsParametersOn) {
  Json body = with("dimensions", 2);
  body["input"] = "one";
  body["keep_alive"] = 5;
  body["options"] = {{"num_ctx", 512}, {"top_k", 1}};
  const Json answer = json_of(api_.post(kEmbeddings, body));
  EXPECT_EQ(answer["warnings"].size(), 1U);
  const serving::EmbedRequest& request = api_.service.embeds[0];
  EXPECT_EQ(request.inputs, std::vector<std::string>{"one"});
  EXPECT_EQ(request.dimensions, 2);
  EXPECT_EQ(request.keep_alive->seconds, 5);
  EXPECT_EQ(request.context_length, 512);
}

TEST_F(Embeddings, TakeTokensAndSayWhoseTheyAre) {
  const Json body = json_of(api_.post(kEmbeddings, with("input", json_from("[[1, 2], [3]]"))));
  EXPECT_EQ(body["data"].size(), 2U);
  ASSERT_EQ(body["warnings"].size(), 1U);
  EXPECT_NE(body["warnings"][0].get<std::string>().find("tiktoken"), std::string::npos);
  EXPECT_EQ(api_.service.embeds[0].token_inputs,
            (std::vector<std::vector<std::int32_t>>{{1, 2}, {3}}));
  EXPECT_TRUE(api_.service.embeds[0].inputs.empty());
  (void)api_.post(kEmbeddings, with("input", {7, 8}));
  EXPECT_EQ(api_.service.embeds[1].token_inputs, (std::vector<std::vector<std::int32_t>>{{7, 8}}));
  EXPECT_EQ(
      json_of(api_.post(kEmbeddings, with("input", json_from("[[1], []]"))))["error"]["param"],
      "input[1]");
  EXPECT_EQ(
      json_of(api_.post(kEmbeddings, with("input", json_from("[1, \"a\"]"))))["error"]["param"],
      "input[1]");
}

TEST_F(Embeddings, AreCancelledWhenTheClientGoesAway) {
  api_.service.hold = true;
  const auto answer = api_.begin("POST", kEmbeddings, to_text(with("user", "u")));
  answer->go_away();
  EXPECT_TRUE(api_.service.held_embeds.at(0).ticket->cancelled);
}

TEST_F(Embeddings, NameWhatHasNoEffect) {
  const auto answer = api_.post(kEmbeddings, with("colour", 1));
  EXPECT_EQ(json_of(answer)["warnings"], json_from(R"(["unknown field: colour"])"));
  EXPECT_EQ(answer->warnings().size(), 1U);
  api_.context.spare_fields = SpareFields::refuse;
  EXPECT_EQ(json_of(api_.post(kEmbeddings, with("colour", 1)))["error"]["param"], "colour");
}

TEST_F(Embeddings, NamesWhatItRefuses) {
  const std::pair<const char*, const char*> refusals[] = {
      {"input", "[]"},  {"input", "\"\""},   {"input", "[\"\"]"},
      {"input", "{}"},  {"dimensions", "0"}, {"encoding_format", "\"hex\""},
      {"model", "null"}};
  for (const auto& [key, value] : refusals) {
    const auto answer = api_.post(kEmbeddings, with(key, json_from(value)));
    EXPECT_EQ(answer->status(), 400) << key;
    EXPECT_EQ(json_of(answer)["error"]["param"], key);
  }
  EXPECT_TRUE(api_.service.embeds.empty());
}

TEST_F(Embeddings, WordsErrorsOfTheService) {
  api_.service.embedding = service_error(serving::ServiceError::Code::context_exceeded, "long");
  const auto answer = api_.post(kEmbeddings, with("user", "u"));
  EXPECT_EQ(answer->status(), 400);
  EXPECT_EQ(json_of(answer)["error"]["code"], "context_length_exceeded");
}

}  // namespace
}  // namespace pleiad::api::openai
