// Documents that are files, in blocks of messages.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/anthropic/anthropic_routes.h"
#include "api/common/testing/api_harness.h"
#include "base/base64.h"
#include "base/testing/json.h"

namespace pleiad::api::anthropic {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class DocumentBlocks : public testing::Test {
 protected:
  DocumentBlocks() {
    add_anthropic_routes(api_.router, api_.context);
    api_.service.end = finished_result(1, 0, 1);
  }

  static Json document(Json source) {
    return {{"type", "document"}, {"source", std::move(source)}};
  }
  static Json pdf() {
    return document({{"type", "base64"},
                     {"media_type", "application/pdf"},
                     {"data", encode_base64("%PDF-1.7")}});
  }
  ApiHarness::Answer send(Json block) {
    Json message = {{"role", "user"}, {"content", Json::array()}};
    message["content"].push_back(std::move(block));
    message["content"].push_back({{"type", "text"}, {"text", "What does it say?"}});
    Json body = {{"model", "demo"}, {"max_tokens", 100}, {"messages", Json::array()}};
    body["messages"].push_back(std::move(message));
    return api_.post("/v1/messages", body);
  }
  const serving::AnswerRequest& asked(Json block) {
    const auto answer = send(std::move(block));
    EXPECT_EQ(answer->status(), 200) << answer->body();
    return api_.service.answers.back();
  }

  ApiHarness api_;
};

TEST_F(DocumentBlocks, StandWhereTheyAre) {
  const auto& request = asked(pdf());
  EXPECT_EQ(request.messages[0]["content"], json_from(R"([{"type": "document", "media": 0},
      {"type": "text", "text": "What does it say?"}])"));
  ASSERT_THAT(request.media, SizeIs(1));
  EXPECT_EQ(request.media[0].kind, serving::MediaKind::document);
  EXPECT_EQ(*request.media[0].bytes, "%PDF-1.7");
  EXPECT_EQ(request.media[0].field, "messages[0].content[0]");
}

TEST_F(DocumentBlocks, TitleAndContextAreShown) {
  Json block = document({{"type", "url"}, {"url", "https://a.test/a.pdf"}});
  block["title"] = "Report";
  block["context"] = "Of May.";
  block["pages"] = "1-2";
  block["citations"] = {{"enabled", false}};
  const auto answer = send(block);
  ASSERT_EQ(answer->status(), 200) << answer->body();
  const auto& request = api_.service.answers.back();
  EXPECT_EQ(request.messages[0]["content"],
            json_from(R"([{"type": "text", "text": "<context>Of May.</context>\n"},
      {"type": "document", "media": 0}, {"type": "text", "text": "What does it say?"}])"));
  EXPECT_EQ(request.media.at(0).url, "https://a.test/a.pdf");
  EXPECT_EQ(request.media[0].name, "Report");
  EXPECT_EQ(request.media[0].pages, "1-2");
  EXPECT_FALSE(request.media[0].tells_text);
  EXPECT_FALSE(json_of(answer).contains("warnings"));
}

TEST_F(DocumentBlocks, NamesWhatItRefuses) {
  const auto problem = [&](const Json& source) -> std::string {
    const auto answer = send(document(source));
    EXPECT_EQ(answer->status(), 400) << answer->body();
    return json_of(answer)["error"]["message"];
  };
  EXPECT_THAT(problem({{"type", "file"}, {"file_id", "f"}}),
              HasSubstr("source.type: no files are kept here: send the document itself"));
  EXPECT_THAT(problem({{"type", "base64"}, {"data", "a-b="}}),
              HasSubstr("messages[0].content[0].source.data: expected base64"));
  EXPECT_THAT(problem({{"type", "else"}, {"data", ""}}), HasSubstr("source.type: expected"));
}

}  // namespace
}  // namespace pleiad::api::anthropic
