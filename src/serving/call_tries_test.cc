// Calls whose arguments fail the check of the whole schema, on the demo model: they are written
// again, and what is told, counted and warned of is that of one call.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/testing/json.h"
#include "serving/testing/demo_service_test.h"

namespace pleiad::serving {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using Kind = text::ReplyEvent::Kind;

class CallTriesTest : public DemoServiceTest {
 protected:
  /// Items of more kinds than masks count, so that these enforce none of the counts.
  static void leave_uncounted(Json& array) {
    for (int other = 3; other < 10; ++other) {
      array["allOf"].push_back(
          {{"contains", {{"const", other}}}, {"minContains", 0}, {"maxContains", 999}});
    }
  }

  /// Three numbers, 1 or 2, of which one 1 at most would be valid: which masks do not enforce.
  static AnswerRequest asked(std::uint64_t seed, const char* schema = nullptr) {
    AnswerRequest request = chat_request("demo", "Which numbers?");
    Json parameters = json_from(schema ? schema : R"({"type": "object", "properties": {
        "n": {"type": "array", "items": {"enum": [1, 2]}, "minItems": 3, "maxItems": 3,
              "contains": {"const": 1}, "maxContains": 1}}, "required": ["n"]})");
    Json& list = parameters["properties"]["n"];
    if (list.contains("maxContains")) leave_uncounted(list);
    request.tools = Json::array(
        {{{"type", "function"}, {"function", {{"name", "f"}, {"parameters", parameters}}}}});
    request.tool_choice.kind = ToolChoice::Kind::required;
    request.tool_choice.parallel = false;
    request.sampling.temperature = 5;
    request.sampling.top_k = 0;
    request.sampling.top_p = 1;
    request.sampling.min_p = 0;
    request.sampling.seed = seed;
    request.max_tokens = 300;
    return request;
  }
  static bool is_valid(const AnswerDelta& call) {
    const Json& numbers = call.event.arguments.at("n");
    return std::count(numbers.begin(), numbers.end(), Json(1)) == 1;
  }
  static int count(const std::vector<std::string>& warnings, const char* what) {
    return static_cast<int>(std::ranges::count_if(warnings, [what](const std::string& warning) {
      return warning.find(what) != std::string::npos;
    }));
  }
  static constexpr const char* kNotValid = "not valid under it";
  static constexpr const char* kDropped = "of a call with arguments that are not valid";
};

TEST_F(CallTriesTest, OneThatIsNotValidIsWrittenAgainAndTheFirstOneKept) {
  int n_helped = 0, n_not_helped = 0;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    SCOPED_TRACE(seed);
    AnswerRequest wanted = asked(seed);
    wanted.sampling.n_logprobs = 1;
    const auto answer = ask(wanted);
    const AnswerResult result = answer->result();
    EXPECT_EQ(result.reason, FinishReason::stop_token);
    EXPECT_TRUE(result.called_tools);
    const auto deltas = answer->deltas();
    ASSERT_THAT(deltas, SizeIs(1));
    EXPECT_THAT(result.warnings, Contains(HasSubstr("n.contains: more than six")));
    const bool valid = is_valid(deltas[0]);
    EXPECT_EQ(count(result.warnings, kNotValid), valid ? 0 : 1);
    EXPECT_EQ(count(result.warnings, kDropped), result.stats.dropped_tokens > 0 ? 1 : 0);
    if (!valid) {
      EXPECT_EQ(count(result.warnings, "2 tries"), 1);
    }
    n_helped += valid && result.stats.dropped_tokens > 0 ? 1 : 0;
    n_not_helped += valid ? 0 : 1;
    // Log probabilities and counts are those of the call that was told.
    std::string bytes;
    for (const AnswerLogprob& logprob : answer->logprobs()) bytes += logprob.token.bytes;
    EXPECT_EQ(bytes, deltas[0].event.text);
    EXPECT_EQ(std::ssize(answer->logprobs()) + std::ssize(result.logprobs),
              result.stats.generated_tokens);
    EXPECT_LT(result.stats.forced_tokens, result.stats.generated_tokens);
    // A seed gives the same call, tries included.
    wanted.sampling.n_logprobs.reset();
    const auto again = ask(wanted);
    EXPECT_EQ(again->result().stats.dropped_tokens, result.stats.dropped_tokens);
    EXPECT_EQ(again->result().stats.generated_tokens, result.stats.generated_tokens);
    EXPECT_EQ(again->result().stats.forced_tokens, result.stats.forced_tokens);
    EXPECT_EQ(again->deltas().at(0).event.text, deltas[0].event.text);
  }
  EXPECT_GT(n_helped, 0);
  EXPECT_LT(n_not_helped, 16);
}

TEST_F(CallTriesTest, ASchemaThatNoneIsValidUnderKeepsTheFirst) {
  // A 1 is among them, and none may be.
  AnswerRequest wanted = asked(3, R"({"type": "object", "properties": {
      "n": {"type": "array", "items": {"enum": [1, 2]}, "minItems": 3, "maxItems": 3,
            "contains": {"enum": [1, 2]}, "maxContains": 1}}, "required": ["n"]})");
  const auto answer = ask(wanted);
  const AnswerResult result = answer->result();
  ASSERT_THAT(answer->deltas(), SizeIs(1));
  EXPECT_EQ(result.reason, FinishReason::stop_token);
  EXPECT_EQ(count(result.warnings, kNotValid), 1);
  EXPECT_EQ(count(result.warnings, "2 tries"), 1);
  EXPECT_EQ(result.stats.dropped_tokens, 2 * result.stats.generated_tokens - 2)
      << "all but what opens it";
  // As it is where there is one try: in pieces.
  wanted.call_pieces = true;
  const auto pieces = ask(wanted);
  EXPECT_EQ(pieces->result().stats.dropped_tokens, 0);
  EXPECT_EQ(pieces->result().stats.generated_tokens, result.stats.generated_tokens);
  EXPECT_EQ(pieces->result().stats.forced_tokens, result.stats.forced_tokens);
  EXPECT_EQ(pieces->result().stats.saved_steps, result.stats.saved_steps);
  EXPECT_EQ(pieces->deltas().back().event.text, answer->deltas()[0].event.text);
  EXPECT_EQ(count(pieces->result().warnings, kNotValid), 1);
}

TEST_F(CallTriesTest, WhereTheSameCallWouldComeItIsToldAtOnce) {
  const std::vector<std::function<void(SamplingRequest&)>> settings = {
      [](SamplingRequest& sampling) { sampling.temperature = 0; },
      [](SamplingRequest& sampling) { sampling.top_k = 1; },
      [](SamplingRequest& sampling) { sampling.top_p = 1e-6; },
      [](SamplingRequest& sampling) { sampling.min_p = 1; }};
  for (const auto& set : settings) {
    AnswerRequest wanted = asked(3, R"({"type": "object", "properties": {
        "n": {"type": "array", "items": {"enum": [1, 2]}, "minItems": 3, "maxItems": 3,
              "contains": {"enum": [1, 2]}, "maxContains": 1}}, "required": ["n"]})");
    set(wanted.sampling);
    const auto answer = ask(wanted);
    EXPECT_EQ(count(answer->result().warnings, kNotValid), 1);
    EXPECT_EQ(count(answer->result().warnings, kDropped), 0);
    EXPECT_EQ(answer->result().stats.dropped_tokens, 0);
    EXPECT_THAT(answer->deltas(), SizeIs(1));
  }
}

TEST_F(CallTriesTest, ASchemaThatNothingSatisfiesIsNotTried) {
  const auto answer = ask(asked(3, R"({"type": "object", "properties": {"n": {"const": 1}},
      "required": ["n"], "allOf": [{"properties": {"n": {"const": 2}}}]})"));
  const AnswerResult result = answer->result();
  EXPECT_THAT(result.warnings, Contains(HasSubstr("no value can satisfy it")));
  EXPECT_EQ(result.stats.dropped_tokens, 0);
  EXPECT_EQ(count(result.warnings, kDropped), 0);
}

TEST_F(CallTriesTest, EachCallOfAReplyIsTriedLikewise) {
  int n_calls = 0, n_valid = 0, n_dropped = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    for (const bool must_call : {true, false}) {
      AnswerRequest wanted = asked(seed);
      wanted.tool_choice.kind =
          must_call ? ToolChoice::Kind::required : ToolChoice::Kind::automatic;
      wanted.tool_choice.parallel = true;
      // Behind a call comes another one.
      wanted.sampling.logit_bias = {{48, 100.0F}};
      const auto answer = ask(wanted);
      const AnswerResult result = answer->result();
      int n_bad = 0;
      for (const AnswerDelta& delta : answer->deltas()) {
        if (delta.event.kind != Kind::tool_call) continue;
        ++n_calls;
        is_valid(delta) ? ++n_valid : ++n_bad;
      }
      EXPECT_EQ(count(result.warnings, kNotValid), n_bad);
      EXPECT_EQ(result.stats.generated_tokens, 300) << "as many as were asked for";
      EXPECT_EQ(result.reason, FinishReason::length);
      n_dropped += result.stats.dropped_tokens > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(n_calls, 12);
  EXPECT_GT(n_valid, 0);
  EXPECT_EQ(n_dropped, 6);
}

TEST_F(CallTriesTest, OneThatIsCancelledIsTold) {
  // A long list, so that there is time.
  AnswerRequest wanted = asked(3, R"({"type": "object", "properties": {
      "n": {"type": "array", "items": {"enum": [1, 2]}, "minItems": 200, "maxItems": 200,
            "contains": {"enum": [1, 2]}, "maxContains": 1}}, "required": ["n"]})");
  wanted.max_tokens = -1;
  const auto whole = ask(wanted);
  const std::int64_t n_tokens = whole->result().stats.generated_tokens;
  ASSERT_GT(whole->result().stats.dropped_tokens, n_tokens);
  for (int attempt = 0; attempt < 20; ++attempt) {
    const std::uint64_t before = service_->loaded().at(0).engine.tokens_generated;
    const auto answer = ask(wanted);
    const auto n_now = [&] {
      return static_cast<std::int64_t>(service_->loaded().at(0).engine.tokens_generated - before);
    };
    ASSERT_TRUE(eventually([&] { return answer->ended() || n_now() > n_tokens + 5; }));
    ticket_->cancel();
    const AnswerResult result = answer->result();
    if (result.stats.dropped_tokens == whole->result().stats.dropped_tokens) continue;  // too late
    ASSERT_THAT(answer->deltas(), SizeIs(1));
    EXPECT_EQ(answer->deltas()[0].event.text, whole->deltas().at(0).event.text);
    EXPECT_EQ(result.stats.generated_tokens, n_tokens);
    EXPECT_EQ(count(result.warnings, kNotValid), 1);
    EXPECT_GT(result.stats.dropped_tokens, 0);
    return;
  }
  FAIL() << "never in time";
}

}  // namespace
}  // namespace pleiad::serving
