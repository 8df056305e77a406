// Pictures and documents in /api/chat and /api/generate.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "api/common/testing/request_problem.h"
#include "api/ollama/answer_request.h"
#include "api/ollama/testing_client.h"
#include "base/testing/json.h"

namespace pleiad::api::ollama {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

AnswerBody chat(const std::string& messages, const std::string& more = "") {
  return parse_chat(R"({"model": "m", "messages": )" + messages + more + "}");
}

TEST(Images, StandBeforeTheTextOfTheirMessage) {
  const AnswerBody body = chat(R"([
      {"role": "user", "content": "What?", "images": ["aGk=", "data:image/png;base64,aG8="]},
      {"role": "assistant", "content": "A cat."},
      {"role": "user", "content": "", "images": ["https://example.test/a.png"]}])");
  EXPECT_EQ(body.request.messages, json_from(R"([
      {"role": "user", "content": [{"type": "image", "media": 0}, {"type": "image", "media": 1},
                                   {"type": "text", "text": "What?"}]},
      {"role": "assistant", "content": "A cat."},
      {"role": "user", "content": [{"type": "image", "media": 2}]}])"));
  ASSERT_THAT(body.request.media, SizeIs(3));
  EXPECT_EQ(*body.request.media[0].bytes, "hi");
  EXPECT_EQ(*body.request.media[1].bytes, "ho");
  EXPECT_EQ(body.request.media[2].url, "https://example.test/a.png");
  EXPECT_EQ(body.request.media[1].field, "messages[0].images[1]");
  EXPECT_THAT(body.warnings, IsEmpty());
}

TEST(Images, OfAResultStayWithIt) {
  const AnswerBody body = chat(R"([
      {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]},
      {"role": "tool", "tool_name": "f", "content": "seen", "images": ["aGk="]}])");
  EXPECT_EQ(body.request.messages[1]["content"], json_from(R"([
      {"type": "image", "media": 0}, {"type": "text", "text": "seen"}])"));
}

TEST(Images, StandBeforeAPromptOrWhereARawOneSaysSo) {
  const AnswerBody body = parse_generate(R"({"model": "m", "prompt": "p", "images": ["aGk="]})");
  EXPECT_EQ(body.request.messages, json_from(R"([{"role": "user", "content": [
      {"type": "image", "media": 0}, {"type": "text", "text": "p"}]}])"));
  const AnswerBody raw =
      parse_generate(R"({"model": "m", "prompt": "<|image|> p", "raw": true, "images": ["aGk="]})");
  EXPECT_EQ(raw.request.form, serving::AnswerRequest::Form::text);
  EXPECT_THAT(raw.request.media, SizeIs(1));
  const AnswerBody alone = parse_generate(R"({"model": "m", "images": ["aGk="]})");
  EXPECT_EQ(alone.kind, AnswerBody::Kind::answer);
  EXPECT_EQ(alone.request.messages[0]["content"], json_from(R"([{"type": "image", "media": 0}])"));
  EXPECT_EQ(parse_generate(R"({"model": "m", "images": []})").kind, AnswerBody::Kind::load);
}

TEST(Images, HaveABudgetAmongTheOptions) {
  const std::string messages = R"([{"role": "user", "content": "p", "images": ["aGk="]}])";
  EXPECT_EQ(chat(messages, R"(, "options": {"max_soft_tokens": 560})").request.media_budget, 560);
  EXPECT_TRUE(
      chat(messages, R"(, "options": {"max_soft_tokens": "auto"})").request.media_automatic);
  EXPECT_THAT(problem_of([&] { (void)chat(messages, R"(, "options": {"max_soft_tokens": 561})"); }),
              HasSubstr("options.max_soft_tokens: expected 70, 140, 280, 560, 1120 or \"auto\""));
}

TEST(Images, ThatAreNoneAreNamed) {
  const auto problem = [](const std::string& images) {
    return problem_of(
        [&] { (void)chat(R"([{"role": "user", "content": "x", "images": )" + images + "}]"); });
  };
  EXPECT_EQ(problem(R"(["aGk=", "a-b="])"),
            "messages[0].images[1]: expected base64, found '-' at character 2");
  EXPECT_THAT(problem(R"(["/tmp/cat.png "])"), HasSubstr("messages[0].images[0]: expected base64"));
  EXPECT_EQ(problem("[7]"),
            "messages[0].images[0]: expected a picture or a sound in base64, or a document, an "
            "object with \"data\", found 7");
  EXPECT_THAT(problem(R"("aGk=")"), HasSubstr("messages[0].images: expected a list"));
}

TEST(Documents, StandBeforeTheImagesAndTheTextOfTheirMessage) {
  const AnswerBody body = chat(R"([{"role": "user", "content": "What?", "images": ["aGk="],
      "documents": [{"data": "data:application/pdf;base64,aG8=", "name": "a.pdf", "pages": "3-7",
                     "pages_as": "image", "max_soft_tokens": 560},
                    {"data": "https://a.test/b.pdf"}]}])");
  EXPECT_EQ(body.request.messages[0]["content"], json_from(R"([
      {"type": "document", "media": 0}, {"type": "document", "media": 1},
      {"type": "image", "media": 2}, {"type": "text", "text": "What?"}])"));
  ASSERT_THAT(body.request.media, SizeIs(3));
  const serving::MediaPart& first = body.request.media[0];
  EXPECT_EQ(first.kind, serving::MediaKind::document);
  EXPECT_EQ(*first.bytes, "ho");
  EXPECT_EQ(first.field, "messages[0].documents[0]");
  EXPECT_EQ(first.name, "a.pdf");
  EXPECT_EQ(first.pages, "3-7");
  EXPECT_EQ(first.pages_as, media::DocumentOptions::PagesAs::image);
  EXPECT_EQ(first.budget, 560);
  EXPECT_EQ(body.request.media[1].url, "https://a.test/b.pdf");
  EXPECT_THAT(body.warnings, IsEmpty());
}

TEST(Documents, OfPdfAreKnownByTheirBytes) {
  // Clients put any file into images: "%PDF-1.7\n".
  const AnswerBody body = chat(R"([{"role": "user", "content": "What?", "images": [
      "JVBERi0xLjcK", "aGk="]}])");
  EXPECT_EQ(body.request.messages[0]["content"], json_from(R"([
      {"type": "document", "media": 0}, {"type": "image", "media": 1},
      {"type": "text", "text": "What?"}])"));
  EXPECT_EQ(body.request.media.at(0).kind, serving::MediaKind::document);
}

TEST(Documents, KeepTheirPlaceAmongImages) {
  const AnswerBody body = chat(R"([{"role": "user", "content": "What?", "images": [
      "aGk=", {"data": "aG8=", "name": "a.pdf", "pages": "2", "page": 7}, "aGk="]}])");
  EXPECT_EQ(body.request.messages[0]["content"], json_from(R"([
      {"type": "image", "media": 0}, {"type": "document", "media": 1},
      {"type": "image", "media": 2}, {"type": "text", "text": "What?"}])"));
  ASSERT_THAT(body.request.media, SizeIs(3));
  EXPECT_EQ(*body.request.media[1].bytes, "ho");
  EXPECT_EQ(body.request.media[1].name, "a.pdf");
  EXPECT_EQ(body.request.media[1].pages, "2");
  EXPECT_EQ(body.request.media[1].field, "messages[0].images[1]");
  EXPECT_THAT(body.warnings, ElementsAre(HasSubstr("messages[0].images[1].page")));
  EXPECT_THAT(problem_of([] {
                (void)chat(R"([{"role": "user", "content": "x", "images": [{"name": "a.pdf"}]}])");
              }),
              HasSubstr("messages[0].images[0].data"));
}

TEST(Documents, StandBeforeAPrompt) {
  const AnswerBody body =
      parse_generate(R"({"model": "m", "prompt": "p", "documents": [{"data": "aGk="}]})");
  EXPECT_EQ(body.request.messages, json_from(R"([{"role": "user", "content": [
      {"type": "document", "media": 0}, {"type": "text", "text": "p"}]}])"));
  EXPECT_EQ(parse_generate(R"({"model": "m", "documents": []})").kind, AnswerBody::Kind::load);
}

TEST(Documents, ThatAreNoneAreNamed) {
  const auto problem = [](const std::string& documents) {
    return problem_of([&] {
      (void)chat(R"([{"role": "user", "content": "x", "documents": )" + documents + "}]");
    });
  };
  EXPECT_THAT(problem(R"(["aGk="])"), HasSubstr("messages[0].documents[0]: expected an object"));
  EXPECT_THAT(problem("[{}]"), HasSubstr("messages[0].documents[0].data"));
  EXPECT_EQ(problem(R"([{"data": "a-b="}])"),
            "messages[0].documents[0].data: expected base64, found '-' at character 2");
  EXPECT_THAT(problem(R"([{"data": "aGk=", "pages_as": "x"}])"),
              HasSubstr("messages[0].documents[0].pages_as"));
  EXPECT_THAT(chat(R"([{"role": "user", "content": "x", "documents": [
                  {"data": "aGk=", "page": 7}]}])")
                  .warnings,
              ElementsAre(HasSubstr("messages[0].documents[0].page")));
}

TEST(Documents, WithUnknownFieldsAreNamedInTwentyWarningsWhereverTheyStand) {
  std::string many = R"({"data": "aGk=", "page": 7})";
  for (int i = 1; i < 30; ++i) many += R"(, {"data": "aGk=", "page": 7})";
  const auto end_of = [](const AnswerBody& body) {
    EXPECT_THAT(body.warnings, SizeIs(21));
    return body.warnings.back();
  };
  for (const std::string field : {R"("documents": [)", R"("images": [)"}) {
    EXPECT_EQ(end_of(parse_generate(R"({"model": "m", "prompt": "p", )" + field + many + "]}")),
              "and 10 more in documents and images");
    EXPECT_EQ(end_of(chat(R"([{"role": "user", "content": "x", )" + field + many + "]}]")),
              "and 10 more in messages");
  }
  EXPECT_EQ(end_of(parse_generate(R"({"model": "m", "prompt": "p", "documents": [)" + many +
                                  R"(], "images": [)" + many + "]}")),
            "and 40 more in documents and images");
}

class ImageRoutes : public OllamaTest {};

TEST_F(ImageRoutes, TheLastLineTellsHowTheyWereShown) {
  serving::AnswerResult end = result();
  end.media = {{.original = {40, 30},
                .shown = {912, 672},
                .tokens = 266,
                .budget = 280,
                .cached = false,
                .dropped = false}};
  service_.end = end;
  const Json line = json_from(answer("/api/chat", R"({"model": "m", "stream": false, "messages": [
      {"role": "user", "content": "p", "images": ["aGk="]}]})"));
  EXPECT_EQ(line["media"],
            json_from(R"([{"kind": "picture", "width": 40, "height": 30, "shown_width": 912,
      "shown_height": 672, "tokens": 266, "budget": 280, "cached": false}])"));
}

TEST_F(ImageRoutes, ThePromptThatIsShownTellsWhatTheyTake) {
  serving::MediaUse sound;
  sound.kind = serving::MediaKind::sound;
  sound.tokens = 50;
  sound.seconds = 2;
  sound.clips = 1;
  service_.rendering = serving::Service::Rendering{"<bos>", 60, {sound}, {"a sound: w"}};
  const Json shown = json_from(answer("/api/chat", R"({"model": "m", "messages": [
      {"role": "user", "content": "p", "images": ["aGk="]}], "_debug_render_only": true})"));
  EXPECT_EQ(shown["media"], json_from(R"([
      {"kind": "sound", "seconds": 2.0, "clips": 1, "tokens": 50, "cached": false}])"));
  EXPECT_EQ(shown["warnings"], json_from(R"(["a sound: w"])"));
}

TEST_F(ImageRoutes, NewModelsCannotBeGivenThem) {
  EXPECT_THAT(answer("/api/create", R"({"model": "n", "from": "m", "messages": [
                  {"role": "user", "content": "p", "images": ["aGk="]}]})",
                     400),
              HasSubstr("messages[0].images: pictures cannot stand here"));
  EXPECT_THAT(answer("/api/create", R"({"model": "n", "from": "m", "messages": [
                  {"role": "user", "content": "p", "documents": [{"data": "aGk="}]}]})",
                     400),
              HasSubstr("messages[0].documents: documents cannot stand here"));
}

}  // namespace
}  // namespace pleiad::api::ollama
