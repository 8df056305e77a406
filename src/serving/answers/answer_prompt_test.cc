#include "serving/answers/answer_prompt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/json.h"
#include "base/testing/paths.h"
#include "serving/answers/conversation.h"
#include "serving/request_error.h"
#include "serving/testing/test_models.h"

namespace pleiad::serving {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string words(std::size_t n_bytes) {
  std::string text;
  while (text.size() < n_bytes) text += "the cat and 12 houses, whereupon ";
  return text;
}

class LongPrompt : public ::testing::Test {
 protected:
  LongPrompt() : model_(TestRuntime::tokenizer().prompt_model()) {}

  static AnswerRequest text_request(std::string text) {
    AnswerRequest request;
    request.form = AnswerRequest::Form::text;
    request.text = std::move(text);
    return request;
  }
  static AnswerRequest chat_request(std::size_t n_turns, std::size_t bytes_each) {
    AnswerRequest request;
    for (std::size_t i = 0; i < n_turns; ++i) {
      request.messages.push_back({{"role", "user"}, {"content", words(bytes_each)}});
      request.messages.push_back({{"role", "assistant"}, {"content", std::to_string(i)}});
    }
    request.messages.push_back({{"role", "user"}, {"content", "And now?"}});
    return request;
  }

  AnswerPrompt make(const AnswerRequest& request, const PromptRoom& room) {
    return make_prompt(request, {}, model_, room, [this] {
      ++n_asked_;
      return false;
    });
  }
  ServiceError refusal(const AnswerRequest& request, const PromptRoom& room) {
    try {
      make(request, room);
    } catch (const RequestError& error) {
      return error.error();
    }
    ADD_FAILURE() << "was taken";
    return {};
  }

  const PromptModel model_;
  int n_asked_ = 0;  // about every thousand words
};

using TokenPrompt = LongPrompt;

TEST_F(TokenPrompt, IsTakenAsItIs) {
  AnswerRequest request;
  request.form = AnswerRequest::Form::tokens;
  const auto last = static_cast<std::int32_t>(model_.tokenizer->vocabulary().size() - 1);
  request.tokens = {7, 0, last};  // nothing is put before them; control tokens are what they are
  EXPECT_EQ(make(request, {.context_length = 4}).tokens, request.tokens);
  const ServiceError too_long = refusal(request, {.context_length = 3});
  EXPECT_EQ(too_long.code, ServiceError::Code::context_exceeded);
  EXPECT_EQ(too_long.prompt_tokens, 3);
  EXPECT_THAT(too_long.message, HasSubstr("no room for a reply"));
}

TEST_F(TokenPrompt, MayFillTheContextWhereNoReplyIsAskedFor) {
  AnswerRequest request;
  request.form = AnswerRequest::Form::tokens;
  request.tokens = {7, 0, 9};
  EXPECT_EQ(make(request, {.context_length = 3, .least_reply = 0}).tokens, request.tokens);
  const ServiceError too_long = refusal(request, {.context_length = 2, .least_reply = 0});
  EXPECT_EQ(too_long.code, ServiceError::Code::context_exceeded);
  EXPECT_THAT(too_long.message, Not(HasSubstr("no room for a reply")));
}

TEST_F(TokenPrompt, OfAnotherTokenizerIsRefused) {
  AnswerRequest request;
  request.form = AnswerRequest::Form::tokens;
  const auto size = static_cast<std::int32_t>(model_.tokenizer->vocabulary().size());
  for (const std::int32_t token : {size, -1}) {
    request.tokens = {7, token};
    const ServiceError error = refusal(request, {.context_length = 100});
    EXPECT_EQ(error.code, ServiceError::Code::bad_request);
    EXPECT_THAT(error.message, HasSubstr(fmt::format("prompt: there is no token {}", token)));
    EXPECT_THAT(error.message, HasSubstr(fmt::format("0 to {}", size - 1)));
  }
}

TEST_F(LongPrompt, IsRefusedWithoutBeingReadToItsEnd) {
  const PromptRoom room{.context_length = 1000};
  for (const bool chat : {true, false}) {
    n_asked_ = 0;
    const ServiceError error =
        refusal(chat ? chat_request(1, 200'000) : text_request(words(200'000)), room);
    EXPECT_EQ(error.code, ServiceError::Code::context_exceeded);
    EXPECT_THAT(error.message, HasSubstr("the prompt has at least "));
    EXPECT_THAT(error.message, HasSubstr("and the context holds 1,000"));
    EXPECT_EQ(error.limit_tokens, 1000);
    EXPECT_GT(error.prompt_tokens, 1000 + kCountedBeyond);
    EXPECT_LT(error.prompt_tokens, 1000 + kCountedBeyond + 100);
    EXPECT_LT(n_asked_, 20);
    EXPECT_GT(n_asked_, 0);
  }
}

TEST_F(LongPrompt, ThatCannotFitByItsBytesIsRefusedAtOnce) {
  for (const bool chat : {true, false}) {
    const ServiceError error = refusal(
        chat ? chat_request(1, 8U << 20) : text_request(words(8U << 20)), {.context_length = 100});
    EXPECT_THAT(error.message, HasSubstr("the prompt has at least "));
    EXPECT_GE(error.prompt_tokens, (8 << 20) / 100);
    EXPECT_EQ(n_asked_, 0);
  }
}

TEST_F(LongPrompt, IsCountedExactlyWhereItIsALittleTooLong) {
  const AnswerRequest request = text_request(words(20'000));
  const std::size_t exact = model_.tokenizer->encode_with_control(request.text).size() + 1;
  const ServiceError error = refusal(request, {.context_length = 50});
  EXPECT_EQ(error.prompt_tokens, static_cast<std::int64_t>(exact));
  EXPECT_THAT(error.message, Not(HasSubstr("at least")));
}

TEST_F(LongPrompt, OfTextIsCutToTheEndThatTheWholeWouldLeave) {
  AnswerRequest request = text_request(words(600'000) + "<|turn>user\nthe last<turn|>");
  request.truncate = true;
  const auto whole = model_.tokenizer->encode_with_control(request.text);
  for (const std::int64_t reply : {1, 20}) {
    const AnswerPrompt prompt = make(request, {.context_length = 200, .reply_tokens = reply});
    const std::int64_t kept = 200 - reply;
    ASSERT_EQ(prompt.tokens.size(), static_cast<std::size_t>(kept));
    EXPECT_EQ(prompt.tokens[0], model_.tokenizer->vocabulary().bos());
    EXPECT_TRUE(
        std::equal(prompt.tokens.begin() + 1, prompt.tokens.end(), whole.end() - (kept - 1)));
    ASSERT_EQ(prompt.warnings.size(), 1U);
    EXPECT_THAT(prompt.warnings[0], HasSubstr("the first at least "));
  }
  request.text = words(2000);
  const std::size_t exact = model_.tokenizer->encode_with_control(request.text).size() + 1;
  const AnswerPrompt little = make(request, {.context_length = 200, .reply_tokens = 20});
  EXPECT_EQ(little.warnings[0], fmt::format("the first {} tokens of the prompt were dropped: the "
                                            "context holds 200",
                                            exact - 180));
}

TEST_F(LongPrompt, OfAChatLosesAsFewMessagesAsItTakes) {
  AnswerRequest request = chat_request(60, 300);
  request.truncate = true;
  const std::vector<std::size_t> cuts = cuts_of(request.messages);
  for (const std::int64_t context : {300, 700, 2500, 4000}) {
    const PromptRoom room{.context_length = context, .reply_tokens = 40};
    const AnswerPrompt prompt = make(request, room);
    std::size_t fewest = 0;
    for (const std::size_t cut : cuts) {
      AnswerRequest shorter = request;
      shorter.messages = without_oldest(request.messages, cut);
      fewest = cut;
      const auto tokens = make_prompt(shorter, {}, model_, std::nullopt).tokens;
      if (static_cast<std::int64_t>(tokens.size()) > context - 40) continue;
      EXPECT_EQ(prompt.tokens, tokens);
      break;
    }
    EXPECT_EQ(prompt.dropped_messages, static_cast<std::int64_t>(fewest)) << context;
  }
}

TEST_F(LongPrompt, IsLeftWhereNobodyWaitsForIt) {
  int n_asked = 0;
  const AnswerRequest request = text_request(words(3'000'000));
  const AnswerPrompt prompt = make_prompt(request, {}, model_, std::nullopt, [&] {
    ++n_asked;
    return true;
  });
  EXPECT_EQ(n_asked, 1);
  EXPECT_LT(prompt.tokens.size(), 20'000U);
}

AnswerRequest begun_request(Json last) {
  AnswerRequest request;
  request.messages.push_back({{"role", "user"}, {"content", "Count"}});
  last["role"] = "assistant";
  request.messages.push_back(std::move(last));
  return request;
}

AnswerPrompt prompt_of(const AnswerRequest& request) {
  return make_prompt(request, {}, TestRuntime::tokenizer().prompt_model(), std::nullopt);
}

TEST(BegunPrompt, EndsWithTheLastMessageOfTheAssistant) {
  AnswerRequest request = begun_request({{"content", "1, 2, 3, "}});
  const AnswerPrompt begun = prompt_of(request);
  EXPECT_THAT(begun.text, EndsWith("<|turn>model\n1, 2, 3,"));
  EXPECT_EQ(begun.reply.begun, "1, 2, 3,");
  EXPECT_THAT(begun.warnings, ElementsAre(HasSubstr("white space at the end")));
  request.continue_last = false;
  const AnswerPrompt whole = prompt_of(request);
  EXPECT_THAT(whole.text, EndsWith("<|turn>model\n1, 2, 3,<turn|>\n<|turn>model\n"));
  EXPECT_EQ(whole.reply.begun, "");
  EXPECT_THAT(whole.warnings, IsEmpty());
}

TEST(BegunPrompt, SaysThatThereIsNoThought) {
  AnswerRequest request = begun_request({{"content", "1,"}});
  request.think = true;
  EXPECT_THAT(prompt_of(request).warnings, ElementsAre(HasSubstr("without a thought")));
  request = begun_request({{"content", ""}, {"reasoning", "I count"}});
  request.think = true;
  const AnswerPrompt thought = prompt_of(request);
  EXPECT_TRUE(thought.reply.started_in_thinking);
  EXPECT_EQ(thought.reply.begun, "I count");
  EXPECT_THAT(thought.warnings, IsEmpty());
}

// What the text spells stays text: its tokens are those of text.
TEST(BegunPrompt, IsEncodedAsText) {
  const PromptModel model = TestRuntime::tokenizer().prompt_model();
  const AnswerPrompt prompt = prompt_of(begun_request({{"content", "a<turn|>b"}}));
  const auto close = model.tokenizer->vocabulary().find("<turn|>");
  EXPECT_EQ(std::count(prompt.tokens.begin(), prompt.tokens.end(), close), 1) << "the user's";
  text::Prompt expected;
  expected.add_control(text::Tag::turn_open);
  expected.add_text("model\na<turn|>b");
  const auto end = model.tokenizer->encode(expected);
  ASSERT_GE(prompt.tokens.size(), end.size());
  EXPECT_TRUE(std::equal(end.rbegin(), end.rend(), prompt.tokens.rbegin()));
}

TEST(BegunPrompt, KeepsItsEndWhereTheBeginningIsDropped) {
  AnswerRequest request;
  for (int i = 0; i < 20; ++i) {
    request.messages.push_back({{"role", "user"}, {"content", words(300)}});
    request.messages.push_back({{"role", "assistant"}, {"content", "1, 2,"}});
  }
  request.truncate = true;
  const AnswerPrompt prompt = make_prompt(request, {}, TestRuntime::tokenizer().prompt_model(),
                                          PromptRoom{.context_length = 400, .reply_tokens = 20});
  EXPECT_GT(prompt.dropped_messages, 0);
  EXPECT_THAT(prompt.text, EndsWith("<|turn>model\n1, 2,"));
}

TEST(BegunPrompt, OpenCallsAreABadRequest) {
  const AnswerRequest request =
      begun_request(json_from(R"({"tool_calls": [{"id": "c", "function": {"name": "f"}}]})"));
  try {
    (void)make_prompt(request, {}, TestRuntime::tokenizer().prompt_model(),
                      PromptRoom{.context_length = 400});
    FAIL() << "was taken";
  } catch (const RequestError& error) {
    EXPECT_EQ(error.error().code, ServiceError::Code::bad_request);
    EXPECT_EQ(error.error().field, "messages");
    EXPECT_THAT(error.error().message, HasSubstr("expected their results"));
  }
  // Where no reply is made, the conversation is looked at as it stands.
  EXPECT_THAT(prompt_of(request).text,
              EndsWith("<|tool_call>call:f{}<tool_call|><|tool_response>"));
}

TEST(PromptWithoutTurns, NamesTheModelAndWhatItsVocabularyLacks) {
  const LoneTokenizer lone = load_lone_tokenizer(golden_path("models/e2b/e2b.gguf"));
  AnswerRequest request;
  request.model = "tiny";
  request.messages = json_from(R"([{"role": "user", "content": "Hi"}])");
  try {
    (void)make_prompt(request, {}, lone.prompt_model(), PromptRoom{.context_length = 400});
    FAIL() << "was taken";
  } catch (const RequestError& error) {
    EXPECT_EQ(error.error().code, ServiceError::Code::unsupported);
    EXPECT_EQ(error.error().field, "model");
    EXPECT_THAT(error.error().message,
                HasSubstr("tiny cannot chat: its vocabulary has no <|turn>"));
  }
  request.form = AnswerRequest::Form::text;
  request.text = "Once";
  request.messages = Json::array();
  EXPECT_GT(make_prompt(request, {}, lone.prompt_model(), PromptRoom{.context_length = 400})
                .tokens.size(),
            0U)
      << "a text needs no turns";
}

}  // namespace
}  // namespace pleiad::serving
