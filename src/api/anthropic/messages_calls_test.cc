#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/anthropic/messages_testing.h"

namespace pleiad::api::anthropic {
namespace {

using testing::HasSubstr;

/// After `before` events come the expected ones, and the two that end a message.
template <typename Events>
void expect_events(const Events& events, std::size_t before,
                   const std::vector<std::string>& expected) {
  ASSERT_EQ(events.size(), before + expected.size() + 2);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(events[before + i].data, json_from(expected[i])) << i;
  }
}

TEST_F(Messages, StreamsInputAsItIsWritten) {
  api_.service.deltas = call_deltas("call_1", "f", {"{\"a\":", "1}"});
  for (const auto& delta : call_deltas("call_2", "g", {"{}"})) api_.service.deltas.push_back(delta);
  api_.service.deltas.pop_back();  // the second one is cut off
  const auto events = events_of(api_.post(kPath, with("stream", true)));
  EXPECT_TRUE(api_.service.answers[0].call_pieces);
  const std::vector<std::string> expected = {
      R"({"type":"content_block_start","index":0,
          "content_block":{"type":"tool_use","id":"toolu_1","name":"f","input":{}}})",
      R"({"type":"content_block_delta","index":0,
          "delta":{"type":"input_json_delta","partial_json":"{\"a\":"}})",
      R"({"type":"content_block_delta","index":0,
          "delta":{"type":"input_json_delta","partial_json":"1}"}})",
      R"({"type":"content_block_stop","index":0})",
      R"({"type":"content_block_start","index":1,
          "content_block":{"type":"tool_use","id":"toolu_2","name":"g","input":{}}})",
      R"({"type":"content_block_delta","index":1,
          "delta":{"type":"input_json_delta","partial_json":"{}"}})",
      R"({"type":"content_block_stop","index":1})"};
  expect_events(events, 2, expected);
}

TEST_F(Messages, AWholeCallIsNotTheEndOfABrokenOne) {
  // The first call turned out to be broken, which a delta does not say.
  api_.service.deltas = {begun_delta("call_1", "f"), arguments_delta("call_1", "{\"a\":"),
                         call_delta("call_2", "g", {{"b", 2}})};
  const auto events = events_of(api_.post(kPath, with("stream", true)));
  const std::vector<std::string> expected = {R"({"type":"content_block_stop","index":0})",
                                             R"({"type":"content_block_start","index":1,
          "content_block":{"type":"tool_use","id":"toolu_2","name":"g","input":{}}})",
                                             R"({"type":"content_block_delta","index":1,
          "delta":{"type":"input_json_delta","partial_json":"{\"b\":2}"}})",
                                             R"({"type":"content_block_stop","index":1})"};
  expect_events(events, 4, expected);
}

TEST_F(Messages, SaysWhichCallCouldNotBeUsed) {
  auto broken = content_delta("call:f{");
  broken.event.kind = text::ReplyEvent::Kind::broken_tool_call;
  broken.event.problem = "no closing brace";
  api_.service.deltas = {broken};
  for (const bool stream : {false, true}) {
    EXPECT_THAT(api_.post(kPath, with("stream", stream))->body(),
                HasSubstr("a tool call could not be used (no closing brace)"));
  }
}

TEST_F(Messages, TakesTextBehindACall) {
  const Json messages = json_from(R"([
    {"role": "user", "content": "a"},
    {"role": "assistant", "content": [
      {"type": "tool_use", "id": "t1", "name": "f", "input": {}},
      {"type": "text", "text": "I look."}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "1"}]}])");
  EXPECT_EQ(asked(with("messages", messages)).messages, json_from(R"([
    {"role": "user", "content": "a"},
    {"role": "assistant", "content": "I look."},
    {"role": "assistant", "content": null, "tool_calls": [
      {"id": "t1", "type": "function", "function": {"name": "f", "arguments": {}}}]},
    {"role": "tool", "content": "1", "tool_call_id": "t1"}])"));
}

TEST_F(Messages, AFormatIsAskedForOnce) {
  const Json format = {{"type", "json_schema"}, {"schema", {{"type", "object"}}}};
  Json body = with("output_config", {{"format", format}});
  body["output_format"] = format;
  EXPECT_EQ(asked(body).format, format["schema"]);
  body["output_format"]["schema"]["type"] = "array";
  const auto answer = api_.post(kPath, body);
  EXPECT_EQ(answer->status(), 400);
  EXPECT_THAT(answer->body(), HasSubstr("output_format: differs from output_config.format"));
}

TEST_F(Messages, ToolsAreDeclaredOnceForEachName) {
  Json body = with("tools", json_from(R"([{"name": "f", "input_schema": {"type": "object"}},
      {"name": "f", "description": "again", "input_schema": {"type": "object"}}])"));
  EXPECT_EQ(asked(body).tools.size(), 2U);
  body["tools"][1]["input_schema"]["required"] = {"a"};
  const auto answer = api_.post(kPath, body);
  EXPECT_EQ(answer->status(), 400);
  EXPECT_THAT(answer->body(), HasSubstr(R"(tools[1].name: \"f\" is declared before)"));
}

TEST_F(Messages, AMessageMayHaveManyCalls) {
  Json body = with("messages", {{{"role", "assistant"}, {"content", Json::array()}},
                                {{"role", "user"}, {"content", "a"}}});
  Json& blocks = body["messages"][0]["content"];
  for (int i = 0; i < 3000; ++i) {
    blocks.push_back({{"type", "tool_use"}, {"id", "t"}, {"name", "f"}, {"input", Json::object()}});
  }
  const auto answer = api_.post(kPath, body);
  EXPECT_EQ(answer->status(), 200);
  EXPECT_THAT(json_of(answer)["warnings"][0].get<std::string>(),
              HasSubstr("the call has no result (and 2999 more of this kind)"));
}

}  // namespace
}  // namespace pleiad::api::anthropic
