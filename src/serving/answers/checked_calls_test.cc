#include "serving/answers/checked_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/testing/json.h"
#include "engine/testing/demo_tokenizer.h"

namespace pleiad::serving {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Kind = text::ReplyEvent::Kind;

/// A reply that is told to an engine's sink, token by token, by who plays the engine.
class CallsOfAReply {
 public:
  explicit CallsOfAReply(std::vector<std::string> stops = {}, bool pieces = false,
                         std::vector<std::string> left_out = {"tools[0]: something"}) {
    request_.tools = json_from(R"([{"function": {"name": "f", "parameters": {"type": "object",
        "properties": {"n": {"type": "array", "contains": {"const": 1}, "maxContains": 1}}}}}])");
    request_.call_pieces = pieces;
    text::ReplyOptions reply;
    reply.call_pieces = pieces;
    const text::Vocabulary& vocabulary = testing_support::demo_tokenizer().vocabulary();
    writer_.emplace(
        vocabulary,
        ReplyReader(vocabulary, reply, sampling::StopMatcher::create(std::move(stops)).value()),
        AnswerWriter::Options{.logprobs = true});
    calls_.emplace(request_, std::move(left_out));
  }

  /// What the last token is in a passage.
  Passage say(const std::string& text) {
    const auto tokens = testing_support::demo_tokenizer().encode_with_control(text);
    for (const text::TokenId token : tokens) {
      if (token == *testing_support::demo_tokenizer().vocabulary().bos()) continue;
      sampling::SampledToken sampled;
      sampled.token = token;
      sampled.logprob = -0.5;
      ++n_told_;
      std::vector<AnswerDelta> pushed = writer_->push(sampled);
      calls_->read(*writer_, pushed);
      tell(std::move(pushed));
      if (calls_->passage() == Passage::begins) n_begun_ = n_told_;
    }
    return calls_->passage();
  }
  void write_again() {
    calls_->write_again(writer_);
    n_told_ = n_begun_;
  }
  void take_first() { tell(calls_->take_first(writer_)); }
  void finish() { tell(writer_->finish(FinishReason::stop_token)); }

  /// Contents as they are, and calls in brackets.
  std::string told() const {
    std::string out;
    for (const AnswerDelta& delta : deltas) {
      const bool is_call = delta.event.kind == Kind::tool_call;
      out += is_call ? "[" + to_text(delta.event.arguments) + "]" : delta.event.text;
    }
    return out;
  }
  std::size_t n_logprobs() const {
    std::size_t n = 0;
    for (const AnswerDelta& delta : deltas) n += delta.logprobs.size();
    return n;
  }
  std::size_t n_told() const { return n_told_; }  // without what is dropped
  std::vector<std::string> warnings(const EngineResult& result = {}) const {
    return calls_->warnings(result);
  }

  std::vector<AnswerDelta> deltas;

 private:
  void tell(std::vector<AnswerDelta> more) {
    for (AnswerDelta& delta : more) deltas.push_back(std::move(delta));
  }

  AnswerRequest request_;
  std::optional<AnswerWriter> writer_;
  std::optional<CheckedCalls> calls_;
  std::size_t n_told_ = 0;
  std::size_t n_begun_ = 0;
};

constexpr const char* kBad = "call:f{n:[1,1]}<tool_call|>";
constexpr const char* kWorse = "call:f{n:[1,1,1]}<tool_call|>";
constexpr const char* kGood = "call:f{n:[1,2]}<tool_call|>";

TEST(CheckedCalls, WhatMayBeAStopStringIsToldOnceWhicheverTryCounts) {
  for (const bool succeeds : {true, false}) {
    SCOPED_TRACE(succeeds);
    CallsOfAReply reply({"end of it"});
    EXPECT_EQ(reply.say("So en"), Passage::none);
    EXPECT_EQ(reply.told(), "So ");
    EXPECT_EQ(reply.say("<|tool_call>"), Passage::begins);
    EXPECT_EQ(reply.say(kBad), Passage::bad);
    EXPECT_EQ(reply.told(), "So ") << "nothing of the call, or before it";
    reply.write_again();
    EXPECT_EQ(reply.say(kWorse), Passage::bad);
    reply.write_again();
    EXPECT_EQ(reply.told(), "So ");
    EXPECT_EQ(reply.say(succeeds ? kGood : kWorse), succeeds ? Passage::good : Passage::bad);
    if (!succeeds) reply.take_first();
    const std::string call = succeeds ? R"([{"n":[1,2]}])" : R"([{"n":[1,1]}])";
    EXPECT_EQ(reply.told(), "So en" + call);
    EXPECT_EQ(reply.say("Done en"), Passage::none);
    reply.finish();
    EXPECT_EQ(reply.told(), "So en" + call + "Done en");
    EngineResult result;
    result.stats.dropped_tokens = 33;
    const auto warnings = reply.warnings(result);
    ASSERT_THAT(warnings, SizeIs(succeeds ? 1U : 2U));
    if (!succeeds) {
      EXPECT_THAT(warnings[0], HasSubstr(R"(not valid under it: {"n":[1,1]})"));
    }
    EXPECT_THAT(warnings.back(), HasSubstr("2 tries of a call"));
    EXPECT_THAT(warnings.back(), HasSubstr("33 tokens"));
  }
}

TEST(CheckedCalls, LogprobsAreThoseOfWhatIsTold) {
  CallsOfAReply reply;
  reply.say("Hm<|tool_call>");
  reply.say(kWorse);
  reply.write_again();
  reply.say(kGood);
  EXPECT_EQ(reply.n_logprobs(), reply.n_told());
  reply.say("<|tool_call>");
  reply.say(kBad);
  const std::size_t n_told = reply.n_told();
  reply.write_again();
  reply.say(kWorse);
  reply.take_first();
  EXPECT_EQ(reply.n_logprobs(), n_told);
}

TEST(CheckedCalls, ACallKeepsItsFirstTryThatIsCutOffOrBroken) {
  CallsOfAReply reply;
  reply.say("<|tool_call>");
  reply.say(kBad);
  reply.write_again();
  EXPECT_EQ(reply.say("call:<tool_call|>"), Passage::bad) << "no call at all";
  reply.write_again();
  EXPECT_EQ(reply.say("call:f{n:[1"), Passage::none);
  reply.take_first();
  reply.finish();
  EXPECT_EQ(reply.told(), R"([{"n":[1,1]}])");
  EngineResult result;
  result.failed_try = EngineFailure{EngineFailure::Kind::deadline, "too late", 0, 0};
  EXPECT_THAT(reply.warnings(result),
              ElementsAre(HasSubstr("not valid under it"), HasSubstr("2 tries"),
                          HasSubstr("first try of its last call: too late")));
}

TEST(CheckedCalls, WhatWasToldInPiecesStays) {
  CallsOfAReply reply({}, true);
  EXPECT_EQ(reply.say("<|tool_call>"), Passage::none);
  EXPECT_EQ(reply.say(kBad), Passage::none);
  ASSERT_GT(reply.deltas.size(), 2U);
  EXPECT_EQ(reply.deltas.back().event.kind, Kind::tool_call);
  EXPECT_THAT(reply.warnings(), ElementsAre(HasSubstr("not valid under it")));
}

TEST(CheckedCalls, WhereNoneCanBeValidNoOtherTryIsAskedFor) {
  for (const std::string note :
       {"tools[0].function.parameters: no arguments can satisfy it; its arguments are held to no "
        "schema",
        "tools[0].function.parameters.properties.n: no value can satisfy it; its \"enum\" is left "
        "out, and the rest holds",
        "tools: their names together are too long; calls are held to no schema"}) {
    CallsOfAReply reply({}, false, {note});
    reply.say("<|tool_call>");
    EXPECT_EQ(reply.say(kBad), Passage::good);
    EXPECT_EQ(reply.told(), R"([{"n":[1,1]}])");
    EXPECT_THAT(reply.warnings(), ElementsAre(HasSubstr("not valid under it")));
  }
}

TEST(CheckedCalls, ValidOnesAreToldAtOnce) {
  CallsOfAReply reply;
  EXPECT_EQ(reply.say("<|tool_call>"), Passage::begins);
  EXPECT_EQ(reply.say(kGood), Passage::good);
  EXPECT_EQ(reply.say("<|tool_call>call:broken<tool_call|>"), Passage::good) << "as it is";
  EXPECT_EQ(reply.say("<|tool_call>"), Passage::begins);
  EXPECT_THAT(reply.warnings(), IsEmpty());
}

}  // namespace
}  // namespace pleiad::serving
