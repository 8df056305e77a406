// Documents in chat completions and responses.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/openai/chat_testing.h"
#include "base/base64.h"

namespace pleiad::api::openai {
namespace {

using serving::MediaKind;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using PagesAs = media::DocumentOptions::PagesAs;

const std::string kPdf = "data:application/pdf;base64," + encode_base64("%PDF-1.7");

class ChatDocuments : public ChatParts {
 protected:
  static Json file(Json holder) { return {{"type", "file"}, {"file", std::move(holder)}}; }
};

TEST_F(ChatDocuments, StandWhereTheirPartsDo) {
  Json part = file({{"file_data", kPdf}, {"filename", "a.pdf"}});
  part["pages"] = "3-7";
  part["pages_as"] = "image";
  part["max_soft_tokens"] = 560;
  const auto request = asked(of_user(part));
  EXPECT_EQ(request.messages[0]["content"][0], (Json{{"type", "document"}, {"media", 0}}));
  ASSERT_THAT(request.media, SizeIs(1));
  EXPECT_EQ(request.media[0].kind, MediaKind::document);
  EXPECT_EQ(*request.media[0].bytes, "%PDF-1.7");
  EXPECT_EQ(request.media[0].name, "a.pdf");
  EXPECT_EQ(request.media[0].pages, "3-7");
  EXPECT_EQ(request.media[0].pages_as, PagesAs::image);
  EXPECT_EQ(request.media[0].budget, 560);
}

TEST_F(ChatDocuments, WhatClientsSendForThemIsUnderstood) {
  const std::string base64 = encode_base64("%PDF-1.7");
  for (const Json& part :
       {file({{"file_data", base64}, {"filename", "a.pdf"}}),
        Json{{"type", "input_file"}, {"file_data", kPdf}, {"filename", "a.pdf"}}}) {
    const auto request = asked(of_user(part));
    EXPECT_EQ(*request.media.at(0).bytes, "%PDF-1.7") << to_text(part);
  }
  const auto request =
      asked(of_user({{"type", "input_file"}, {"file_url", "https://a.test/a.pdf"}}));
  EXPECT_EQ(request.media.at(0).url, "https://a.test/a.pdf");
  EXPECT_EQ(request.media[0].pages_as, PagesAs::automatic);
}

TEST_F(ChatDocuments, ProblemsNameTheField) {
  const auto problem = [&](const Json& part) { return refused(of_user(part)); };
  const std::string path = "messages[0].content[0].";
  EXPECT_EQ(problem({{"type", "file"}, {"file_id", "f"}})["param"], path + "file");
  EXPECT_EQ(problem(file(Json::object()))["param"], path + "file.file_data");
  const Json kept = problem(file({{"file_id", "file-1"}}));
  EXPECT_EQ(kept["param"], path + "file.file_id");
  EXPECT_EQ(kept["code"], "unsupported_media");
  EXPECT_EQ(
      problem(
          {{"type", "input_file"}, {"file_data", kPdf}, {"file_url", "https://a.test/a"}})["param"],
      path + "file_url");
  Json wish = file({{"file_data", kPdf}});
  wish["pages_as"] = "pictures";
  EXPECT_EQ(problem(wish)["param"], path + "pages_as");
  wish["pages_as"] = "auto";
  wish["max_soft_tokens"] = 71;
  EXPECT_EQ(problem(wish)["param"], path + "max_soft_tokens");
  Json system = of_user(file({{"file_data", kPdf}}));
  system["messages"][0]["role"] = "system";
  EXPECT_THAT(refused(system)["message"].get<std::string>(),
              HasSubstr("documents cannot stand here"));
}

TEST_F(ChatDocuments, TheAnswerTellsWhatWasRead) {
  auto result = finished_result(300, 0, 2);
  serving::MediaUse use;
  use.kind = MediaKind::document;
  use.pages = 5;
  use.total_pages = 300;
  use.picture_pages = 1;
  use.tokens = 1064;
  result.media = {use};
  api_.service.end = result;
  EXPECT_EQ(json_of(api_.post(kChatCompletions, question()))["media"], json_from(R"([
      {"kind": "document", "pages": 5, "total_pages": 300, "picture_pages": 1, "tokens": 1064,
       "cached": false}])"));
}

TEST_F(ChatDocuments, OfResponsesAreKeptAsTheyWereSent) {
  Json part = file({{"file_data", kPdf}, {"filename", "a.pdf"}});
  part["pages"] = "2";
  part["pages_as"] = "text";
  const auto first = api_.post("/v1/responses", input(part));
  ASSERT_EQ(first->status(), 200) << first->body();
  Json next = {{"model", "demo"}, {"input", "And then?"}};
  next["previous_response_id"] = json_of(first)["id"];
  ASSERT_EQ(api_.post("/v1/responses", next)->status(), 200);
  const auto& media = api_.service.answers.back().media;
  ASSERT_THAT(media, SizeIs(1));
  EXPECT_EQ(media[0].kind, MediaKind::document);
  EXPECT_EQ(*media[0].bytes, "%PDF-1.7");
  EXPECT_EQ(media[0].name, "a.pdf");
  EXPECT_EQ(media[0].pages, "2");
  EXPECT_EQ(media[0].pages_as, PagesAs::text);
}

}  // namespace
}  // namespace pleiad::api::openai
