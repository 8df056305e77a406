// Citations of an answer, as Anthropic's API has them: whole and as a stream.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/anthropic/anthropic_routes.h"
#include "api/common/testing/api_harness.h"
#include "base/base64.h"
#include "base/testing/json.h"

namespace pleiad::api::anthropic {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Citations : public testing::Test {
 protected:
  Citations() {
    add_anthropic_routes(api_.router, api_.context);
    api_.service.end = finished_result(1, 0, 1);
  }

  static Json asking(Json blocks, bool streams = false) {
    blocks.push_back({{"type", "text"}, {"text", "What does it say?"}});
    Json message = {{"role", "user"}, {"content", std::move(blocks)}};
    Json body = {{"model", "demo"}, {"max_tokens", 100}, {"stream", streams}};
    body["messages"] = Json::array({std::move(message)});
    return body;
  }
  static Json cited(Json source, std::optional<std::string> title = {}, bool enabled = true) {
    Json block = {{"type", "document"}, {"source", std::move(source)}};
    block["citations"] = {{"enabled", enabled}};
    if (title) block["title"] = *title;
    return block;
  }
  static Json text_source(const std::string& text) {
    return {{"type", "text"}, {"media_type", "text/plain"}, {"data", text}};
  }
  static Json pdf_source() {
    return {
        {"type", "base64"}, {"media_type", "application/pdf"}, {"data", encode_base64("%PDF-1.7")}};
  }
  /// The answer comes in these pieces.
  void answers(const std::vector<std::string>& pieces) {
    api_.service.deltas.clear();
    for (const std::string& piece : pieces) api_.service.deltas.push_back(content_delta(piece));
  }
  Json content(const Json& blocks) {
    const auto answer = api_.post("/v1/messages", asking(blocks));
    EXPECT_EQ(answer->status(), 200) << answer->body();
    return json_of(answer)["content"];
  }

  ApiHarness api_;
};

TEST_F(Citations, OfATextNameItsCharacters) {
  answers({"It says: „the gr", "äss is green. ", "Fine", "."});
  const Json blocks = Json::array({cited(text_source("Notes. "), "Empty"),
                                   cited(text_source("Über: The gräss is green. Yes."), "Meadow")});
  const Json expected = json_from(R"([
      {"type": "text", "text": "It says: „"},
      {"type": "text", "text": "the gräss is green.", "citations": [
        {"type": "char_location", "cited_text": "The gräss is green.", "document_index": 1,
         "document_title": "Meadow", "file_id": null, "start_char_index": 6,
         "end_char_index": 25}]},
      {"type": "text", "text": " Fine."}])");
  EXPECT_EQ(content(blocks), expected);
}

TEST_F(Citations, OfAPdfNameItsPages) {
  serving::DocumentText pdf;
  pdf.media = 0;
  pdf.has_pages = true;
  pdf.pages = {{2, "The first page that is text."}, {7, "Rain falls\non the seventh page."}};
  api_.service.documents = {pdf};
  answers({"rain falls on the seventh page. And then?"});
  EXPECT_EQ(content(Json::array({cited(pdf_source())})), json_from(R"([
      {"type": "text", "text": "rain falls on the seventh page.", "citations": [
        {"type": "page_location", "cited_text": "Rain falls\non the seventh page.",
         "document_index": 0, "document_title": null, "file_id": null, "start_page_number": 7,
         "end_page_number": 8}]},
      {"type": "text", "text": " And then?"}])"));
  EXPECT_TRUE(api_.service.answers.back().media[0].tells_text);
  api_.service.documents[0].has_pages = false;
  api_.service.documents[0].pages = {{1, "x Rain falls on the seventh page."}};
  const Json of_docx = content(Json::array({cited(pdf_source())}));
  EXPECT_EQ(of_docx[0]["citations"][0]["type"], "char_location");
  EXPECT_EQ(of_docx[0]["citations"][0]["start_char_index"], 2);
}

TEST_F(Citations, OfBlocksNameThemWhole) {
  answers({"a small green meadow and so on"});
  const Json source = json_from(R"({"type": "content", "content": [
      {"type": "text", "text": "Nothing."}, {"type": "text", "text": "It is a small green meadow."}]})");
  EXPECT_EQ(content(Json::array({cited(source)}))[0]["citations"], json_from(R"([
      {"type": "content_block_location", "cited_text": "It is a small green meadow.",
       "document_index": 0, "document_title": null, "file_id": null, "start_block_index": 1,
       "end_block_index": 2}])"));
  Json result = json_from(R"({"type": "search_result", "source": "https://a.test", "title": "T",
      "citations": {"enabled": true},
      "content": [{"type": "text", "text": "It is a small green meadow."}]})");
  EXPECT_EQ(content(Json::array({result}))[0]["citations"], json_from(R"([
      {"type": "search_result_location", "cited_text": "It is a small green meadow.",
       "search_result_index": 0, "source": "https://a.test", "title": "T", "start_block_index": 0,
       "end_block_index": 1}])"));
}

TEST_F(Citations, OfALongBlockQuoteNoMoreThanWasSaid) {
  answers({"a small green meadow, a small green meadow"});
  Json source = json_from(R"({"type": "content", "content": [{"type": "text", "text": ""}]})");
  source["content"][0]["text"] = "It is a small green meadow. " + std::string(5000, '.');
  const Json citation = content(Json::array({cited(source)}))[0]["citations"][0];
  EXPECT_EQ(citation["type"], "content_block_location");
  EXPECT_EQ(citation["cited_text"], "a small green meadow");
}

TEST_F(Citations, AreNotThereWhereNobodyEnabledThem) {
  answers({"The grass is green."});
  const Json plain = json_from(R"([{"type": "text", "text": "The grass is green."}])");
  EXPECT_EQ(content(Json::array({cited(text_source("The grass is green."), {}, false)})), plain);
  // It counts among the documents all the same.
  const Json two = content(Json::array({cited(text_source("The grass is green."), {}, false),
                                        cited(text_source("The grass is green."))}));
  EXPECT_EQ(two[0]["citations"][0]["document_index"], 1);
}

TEST_F(Citations, StreamAsBlocksOfTheirOwn) {
  answers({"See: the gr", "ass is", " green.", " Good"});
  const auto answer = api_.post(
      "/v1/messages", asking(Json::array({cited(text_source("The grass is green."))}), true));
  std::vector<std::string> told;
  for (const StreamEvent& event : events_of(answer)) {
    if (event.name == "content_block_start") {
      const Json& block = event.data["content_block"];
      told.push_back(block.contains("citations") ? "cited block" : "block");
    } else if (event.name == "content_block_delta") {
      const Json& delta = event.data["delta"];
      told.push_back(delta["type"] == "text_delta"
                         ? delta["text"].get<std::string>()
                         : delta["citation"]["cited_text"].get<std::string>() + " is cited");
    } else if (event.name == "content_block_stop") {
      told.push_back("end of " + to_text(event.data["index"]));
    }
  }
  EXPECT_THAT(
      told, ElementsAre("block", "See: ", "end of 0", "cited block", "the grass is green.",
                        "The grass is green. is cited", "end of 1", "block", " Good", "end of 2"));
}

TEST_F(Citations, StandBeforeThoughtsAndCallsThatFollow) {
  api_.service.deltas = {thinking_delta("hm"), content_delta("the grass is green"),
                         call_delta("call_1", "f", Json::object())};
  Json body = asking(Json::array({cited(text_source("The grass is green."))}));
  body["thinking"] = {{"type", "adaptive"}};
  const Json said = json_of(api_.post("/v1/messages", body))["content"];
  ASSERT_EQ(said.size(), 3U);
  EXPECT_EQ(said[0]["type"], "thinking");
  EXPECT_EQ(said[1]["text"], "the grass is green");
  EXPECT_TRUE(said[1].contains("citations"));
  EXPECT_EQ(said[2]["type"], "tool_use");
}

TEST_F(Citations, PartNoJson) {
  Json body = asking(Json::array({cited(text_source("x"))}));
  body["output_config"] = json_from(R"({"format": {"type": "json_schema", "schema": {}}})");
  const auto answer = api_.post("/v1/messages", body);
  EXPECT_EQ(answer->status(), 400);
  EXPECT_THAT(answer->body(), HasSubstr("JSON cannot be parted"));
}

}  // namespace
}  // namespace pleiad::api::anthropic
