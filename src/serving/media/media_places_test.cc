// Where media of a request stand in its prompt, and where they cannot.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/testing/json.h"
#include "serving/answers/answer_prompt.h"
#include "serving/media/media.h"
#include "serving/request_error.h"
#include "serving/testing/media_fixture.h"

namespace pleiad::serving {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class MediaPlacesTest : public MediaFixture {
 protected:
  AnswerPrompt make(const AnswerRequest& request) {
    std::vector<ShownMedia> shown(request.media.size());
    for (ShownMedia& media : shown) {
      media.parts.push_back(
          {.before = {}, .n = 4, .picture = std::make_shared<const PictureInput>()});
    }
    return make_prompt(request, {}, model(), PromptRoom{.context_length = 1000}, {}, shown);
  }
  std::string problem(const AnswerRequest& request) {
    try {
      (void)make(request);
    } catch (const RequestError& error) {
      return error.what();
    }
    return "no problem";
  }
  static AnswerRequest raw(const std::string& text, std::size_t n_pictures) {
    AnswerRequest request;
    request.form = AnswerRequest::Form::text;
    request.text = text;
    for (std::size_t i = 0; i < n_pictures; ++i) request.media.push_back(test_part("x", "images"));
    return request;
  }
};

TEST_F(MediaPlacesTest, ATextOfTheUsersIsNoPlaceForThem) {
  AnswerRequest request = chat_request("m", "<|image|> and <|image>");
  const AnswerPrompt prompt = make(request);
  EXPECT_TRUE(prompt.media.empty());
  EXPECT_EQ(std::ranges::count(prompt.tokens, script_.towers.vision.tokens.soft), 0);
}

TEST_F(MediaPlacesTest, ARawTextHasThemWhereItSaysSo) {
  const AnswerPrompt prompt = make(raw("a<|image|>b<|image|>", 2));
  ASSERT_THAT(prompt.media, SizeIs(2));
  EXPECT_EQ(prompt.media[0], (MediaSpan{0, 0, 3, 4}));  // <bos>, a, <|image>
  EXPECT_EQ(prompt.media[1].media, 1);
  EXPECT_EQ(std::ranges::count(prompt.tokens, script_.towers.vision.tokens.soft), 8);
  EXPECT_EQ(problem(raw("a <|image|>", 0)),
            "prompt: <|image|> stands for a picture, and the request has none");
  EXPECT_EQ(problem(raw("a", 1)),
            "prompt: has 0 of <|image|>, which stands for a picture, and there are 1 pictures");
  EXPECT_EQ(problem(raw("a <|video|>", 0)),
            "prompt: <|video|> stands for a video, and the request has none");
  EXPECT_EQ(problem(raw("<|image|><|image|>", 1)),
            "prompt: has 2 of <|image|>, which stands for a picture, and there are 1 pictures");
}

TEST_F(MediaPlacesTest, ListsOfTokensCannotStandForThem) {
  AnswerRequest request;
  request.form = AnswerRequest::Form::tokens;
  request.tokens = {7, script_.towers.vision.tokens.soft};
  EXPECT_THAT(problem(request), HasSubstr("stands for a picture, which lists of tokens cannot"));
  request.tokens[1] = model().tokenizer->vocabulary().tag(text::Tag::audio).value();
  EXPECT_THAT(problem(request), HasSubstr("(<|audio|>) stands for a sound, which lists of tokens"));
}

TEST_F(MediaPlacesTest, TheSystemMessageHasNoPlaceForThem) {
  AnswerRequest request = picture_request("m", {"x"});
  request.messages[0]["role"] = "system";
  EXPECT_THAT(problem(request), HasSubstr("messages[0].content[0]: the models' template has no "
                                          "place for pictures in the system message"));
}

TEST_F(MediaPlacesTest, ThoseThatAreNotThereAreRefused) {
  AnswerRequest request = picture_request("m", {"x"});
  request.media.clear();
  EXPECT_EQ(problem(request), "messages[0].content[0]: a picture without its bytes");
  request.messages[0]["content"][0].erase("media");
  EXPECT_EQ(problem(request), "messages[0].content[0]: a picture without its bytes");
  request.messages[0]["content"][0]["type"] = "video";
  EXPECT_EQ(problem(request), "messages[0].content[0]: a video without its bytes");
}

TEST_F(MediaPlacesTest, ResultsOfToolsHaveThemBehindTheResponse) {
  AnswerRequest request;
  request.messages = json_from(R"([
      {"role": "user", "content": "Look"},
      {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f"}}]},
      {"role": "tool", "tool_call_id": "c", "content": [{"type": "image", "media": 0}]}])");
  request.media.push_back(test_part("x", "messages[2].content[0]"));
  const AnswerPrompt prompt = make(request);
  EXPECT_THAT(prompt.text, HasSubstr("<tool_response|><|image|>"));
  EXPECT_THAT(prompt.media, SizeIs(1));
}

}  // namespace
}  // namespace pleiad::serving
