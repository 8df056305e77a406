#include "server_bench/answer_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/error.h"

namespace pleiad::server_bench {
namespace {

using ::testing::HasSubstr;

/// Lines that come a second apart.
Answer read(Api api, const std::vector<std::string>& lines) {
  AnswerReader reader(api);
  double seconds = 0;
  for (const std::string& line : lines) reader.take(line, ++seconds);
  return reader.finish(seconds + 1);
}

std::string problem(Api api, const std::vector<std::string>& lines) {
  try {
    read(api, lines);
  } catch (const Error& error) {
    return error.what();
  }
  return "no problem";
}

TEST(AnswerReader, TakesTextAndCountsOfOllama) {
  const Answer answer =
      read(Api::ollama, {R"({"message":{"role":"assistant","content":""},"done":false})",
                         R"({"message":{"content":"He"},"done":false})",
                         R"({"message":{"content":"llo"},"done":false})",
                         R"({"message":{"content":""},"done":true,"done_reason":"length",
                             "prompt_eval_count":26,"prompt_eval_cached_count":4,"eval_count":2,
                             "prompt_eval_duration":500000000,"eval_duration":2000000000,
                             "load_duration":0})"});
  EXPECT_EQ(answer.first_token_seconds, 2);  // the empty piece is not text
  EXPECT_EQ(answer.last_token_seconds, 3);
  EXPECT_EQ(answer.total_seconds, 5);
  EXPECT_EQ(answer.n_pieces, 2);
  EXPECT_EQ(answer.text_bytes, 5U);
  EXPECT_EQ(answer.finish_reason, "length");
  EXPECT_EQ(answer.prompt_tokens, 26);
  EXPECT_EQ(answer.cached_tokens, 4);
  EXPECT_EQ(answer.generated_tokens, 2);
  EXPECT_EQ(answer.prompt_seconds, 0.5);
  EXPECT_EQ(answer.generation_seconds, 2);
  EXPECT_EQ(answer.load_seconds, 0);
}

TEST(AnswerReader, LeavesEmptyWhatOllamaDoesNotTell) {
  const Answer answer = read(Api::ollama, {R"({"done":true})"});
  EXPECT_FALSE(answer.cached_tokens);
  EXPECT_FALSE(answer.prompt_tokens);
  EXPECT_FALSE(answer.load_seconds);
  EXPECT_EQ(answer.finish_reason, "");
}

TEST(AnswerReader, TakesEventsUsageAndTimingsOfOpenAiServers) {
  const Answer answer =
      read(Api::openai,
           {": ping", R"(data: {"choices":[{"delta":{"role":"assistant","content":null}}]})",
            "event: message\r", R"(data: {"choices":[{"delta":{"content":"Hello"}}]})",
            R"(data: {"choices":[{"delta":{},"finish_reason":"stop"}],"usage":null})",
            R"(data: {"choices":[],"usage":{"prompt_tokens":30,"completion_tokens":9,
               "prompt_tokens_details":{"cached_tokens":3},
               "completion_tokens_details":{"reasoning_tokens":5}},
               "timings":{"prompt_n":27,"prompt_ms":250,"predicted_n":9,"predicted_ms":1500}})",
            "data: [DONE]"});
  EXPECT_EQ(answer.first_token_seconds, 4);
  EXPECT_EQ(answer.finish_reason, "stop");
  EXPECT_EQ(answer.prompt_tokens, 30);
  EXPECT_EQ(answer.cached_tokens, 3);
  EXPECT_EQ(answer.generated_tokens, 9);
  EXPECT_EQ(answer.thinking_tokens, 5);
  EXPECT_EQ(answer.prompt_seconds, 0.25);
  EXPECT_EQ(answer.generation_seconds, 1.5);
}

TEST(AnswerReader, PutsThePromptTogetherWhereOnlyTimingsTellOfIt) {
  const Answer answer =
      read(Api::openai, {R"(data: {"choices":[{"delta":{"content":"x"},"finish_reason":"length"}],
          "timings":{"prompt_n":27,"cache_n":5,"predicted_n":9}})"});
  EXPECT_EQ(answer.prompt_tokens, 32);
  EXPECT_EQ(answer.cached_tokens, 5);
  EXPECT_EQ(answer.generated_tokens, 9);
}

TEST(AnswerReader, TellsThoughtsFromTextUnderEachOfTheirNames) {
  EXPECT_EQ(read(Api::ollama, {R"({"message":{"content":"","thinking":"hm"}})", R"({"done":true})"})
                .thinking_bytes,
            2U);
  const Answer both = read(Api::openai, {R"(data: {"choices":[{"delta":{"reasoning":"hmm",
      "reasoning_content":"hmm"},"finish_reason":"stop"}]})"});
  EXPECT_EQ(both.thinking_bytes, 3U);
  EXPECT_EQ(both.n_pieces, 1);
}

TEST(AnswerReader, SaysWhatIsWrongWithAStream) {
  EXPECT_THAT(problem(Api::ollama, {"<html>"}), HasSubstr("the stream of the answer"));
  EXPECT_THAT(problem(Api::ollama, {"[1]"}), HasSubstr("expected objects"));
  EXPECT_THAT(problem(Api::ollama, {R"({"error":"out of memory"})"}),
              HasSubstr("the server says: out of memory"));
  EXPECT_THAT(problem(Api::openai, {R"(data: {"error":{"message":"too long","code":400}})"}),
              HasSubstr("the server says: too long"));
  EXPECT_THAT(problem(Api::openai, {"HTTP garbage"}), HasSubstr("expected events"));
  EXPECT_THAT(problem(Api::ollama, {R"({"done":true,"eval_count":-1})"}),
              HasSubstr("eval_count: expected a count, found -1"));
  EXPECT_THAT(problem(Api::ollama, {R"({"done":true,"eval_duration":"long"})"}),
              HasSubstr("eval_duration: expected a duration"));
  EXPECT_THAT(problem(Api::openai, {R"(data: {"choices":{}})"}), HasSubstr("choices"));
  EXPECT_THAT(problem(Api::ollama, {R"({"message":{"content":"cut"}})"}),
              HasSubstr("ended before its last part, after 1 pieces"));
}

}  // namespace
}  // namespace pleiad::server_bench
