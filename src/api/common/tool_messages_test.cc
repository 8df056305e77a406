#include "api/common/tool_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "api/common/field_reader.h"
#include "base/testing/json.h"
#include "text/chat_template.h"

namespace pleiad::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Settled {
  Json messages;
  std::vector<std::string> told;
  std::string prompt;  // behind the first user's turn
};

Settled settle(const std::string& messages, CallIds ids = CallIds::expected) {
  Settled out;
  out.messages = json_from("[" + messages + "]");
  RequestNotes notes;
  settle_tool_messages(
      out.messages, ids, [](std::size_t i) { return element_path("messages", i); }, notes);
  out.told = notes.take();
  const auto chat = text::parse_chat_input({{"messages", out.messages}});
  if (!chat) throw std::runtime_error(chat.message());
  out.prompt = text::render_chat(text::TemplateFamily::e_series, chat.value()).str();
  const std::string first = "<bos><|turn>user\ngo<turn|>\n";
  if (out.prompt.starts_with(first)) out.prompt.erase(0, first.size());
  return out;
}

const std::string kUser = R"({"role": "user", "content": "go"})";

std::string call(const std::string& name, const std::string& id = {}) {
  return (id.empty() ? "{" : R"({"id": ")" + id + R"(", )") + R"("function": {"name": ")" + name +
         R"("}})";
}
std::string calls(const std::string& list) {
  return R"(, {"role": "assistant", "content": null, "tool_calls": [)" + list + "]}";
}
std::string result(const std::string& content, const std::string& id = {},
                   const std::string& name = {}) {
  std::string json = R"(, {"role": "tool", "content": ")" + content + "\"";
  if (!id.empty()) json += R"(, "tool_call_id": ")" + id + "\"";
  if (!name.empty()) json += R"(, "name": ")" + name + "\"";
  return json + "}";
}
std::string said(const std::string& role, const std::string& content) {
  return R"(, {"role": ")" + role + R"(", "content": ")" + content + R"("})";
}

// How the template prints them.
std::string called(const std::string& name) {
  return "<|tool_call>call:" + name + "{}<tool_call|>";
}
std::string answered(const std::string& name, const std::string& value) {
  return "<|tool_response>response:" + name + "{value:<|\"|>" + value + "<|\"|>}<tool_response|>";
}

TEST(ToolMessages, AreLeftAsTheyAreWhereTheyAreInOrder) {
  const std::string messages = kUser + calls(call("f", "a") + ", " + call("g", "b")) +
                               result("1", "a") + result("2", "b") + said("assistant", "done");
  const Settled settled = settle(messages);
  EXPECT_EQ(settled.messages, json_from("[" + messages + "]"));
  EXPECT_THAT(settled.told, IsEmpty());
}

TEST(ToolMessages, AResultWhoseCallIsGoneStandsAlone) {
  for (const std::string& before : {std::string(), said("assistant", "I look")}) {
    const Settled settled = settle(kUser + before + result("21", "call_9"));
    EXPECT_EQ(settled.prompt, "<|turn>model\n" + std::string(before.empty() ? "" : "I look") +
                                  answered("call_9", "21"));
    EXPECT_THAT(settled.told, ElementsAre(HasSubstr("follows no call of its own")));
    EXPECT_THAT(settled.told[0], HasSubstr(before.empty() ? "messages[1]" : "messages[2]"));
  }
  EXPECT_EQ(settle(kUser + result("21", "x", "weather") + result("3") + said("assistant", "ok") +
                   said("user", "more"))
                .prompt,
            "<|turn>model\n" + answered("weather", "21") + answered("unknown", "3") +
                "ok<turn|>\n<|turn>user\nmore<turn|>\n<|turn>model\n");
  EXPECT_EQ(settle(R"({"role": "tool", "tool_call_id": "c",
                       "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]})")
                .prompt,
            "<bos><|turn>model\n" + answered("c", "ab"));
}

TEST(ToolMessages, WithoutIdsAreMatchedByTheirOrder) {
  const std::string messages =
      kUser + calls(call("f") + ", " + call("g")) + result("1") + result("2");
  const std::string expected =
      "<|turn>model\n" + called("f") + called("g") + answered("f", "1") + answered("g", "2");
  const Settled told = settle(messages);
  EXPECT_EQ(told.prompt, expected);
  EXPECT_THAT(told.told,
              ElementsAre("messages[1].tool_calls[0].id: missing; results are matched by their "
                          "order (and 1 more of this kind)",
                          "messages[2].tool_call_id: missing; taken as the result of the first "
                          "call that has none (and 1 more of this kind)"));
  const Settled usual = settle(messages, CallIds::optional);
  EXPECT_EQ(usual.prompt, expected);
  EXPECT_THAT(usual.told, IsEmpty());
}

TEST(ToolMessages, WithoutIdsGoByTheNameFirst) {
  const Settled settled =
      settle(kUser + calls(call("f") + ", " + call("g") + ", " + call("f")) + result("2", "", "g") +
                 result("1", "", "f") + result("3", "", "f"),
             CallIds::optional);
  EXPECT_EQ(settled.prompt, "<|turn>model\n" + called("f") + called("g") + called("f") +
                                answered("f", "1") + answered("g", "2") + answered("f", "3"));
}

TEST(ToolMessages, OneSideMayHaveIds) {
  const std::string expected =
      "<|turn>model\n" + called("f") + called("g") + answered("f", "1") + answered("g", "2");
  EXPECT_EQ(
      settle(kUser + calls(call("f") + ", " + call("g")) + result("1", "x") + result("2", "y"))
          .prompt,
      expected);
  EXPECT_EQ(
      settle(kUser + calls(call("f", "x") + ", " + call("g", "y")) + result("1") + result("2"))
          .prompt,
      expected);
  EXPECT_EQ(
      settle(kUser + calls(call("f", "x") + ", " + call("g")) + result("2", "z") + result("1", "x"))
          .prompt,
      expected);
}

TEST(ToolMessages, TheSameIdTwiceIsMatchedByTheOrder) {
  const Settled settled = settle(kUser + calls(call("f", "0") + ", " + call("g", "0")) +
                                 result("1", "0") + result("2", "0"));
  EXPECT_EQ(settled.prompt,
            "<|turn>model\n" + called("f") + called("g") + answered("f", "1") + answered("g", "2"));
}

TEST(ToolMessages, IdsThatComeAgainBelongToTheLastCall) {
  const Settled settled =
      settle(kUser + calls(call("f", "0")) + result("1", "0") + said("assistant", "so") +
             calls(call("g", "0")) + result("2", "0"));
  EXPECT_EQ(settled.prompt, "<|turn>model\n" + called("f") + answered("f", "1") + "so" +
                                called("g") + answered("g", "2"));
  EXPECT_THAT(settled.told, IsEmpty());
}

// The template prints no ids: two calls of one function are told apart by their order alone.
TEST(ToolMessages, ResultsComeInTheOrderOfTheCalls) {
  const Settled settled =
      settle(kUser + calls(call("f", "a") + ", " + call("f", "b") + ", " + call("f", "c")) +
             result("3", "c") + result("1", "a") + result("2", "b"));
  EXPECT_EQ(settled.prompt, "<|turn>model\n" + called("f") + called("f") + called("f") +
                                answered("f", "1") + answered("f", "2") + answered("f", "3"));
  EXPECT_THAT(settled.told,
              ElementsAre("messages[3]: the model sees results in the order of their calls"));
}

TEST(ToolMessages, AFurtherResultIsShownToo) {
  const Settled settled = settle(kUser + calls(call("f", "a") + ", " + call("g", "b")) +
                                 result("1", "a") + result("again", "a") + result("2", "b"));
  EXPECT_EQ(settled.prompt, "<|turn>model\n" + called("f") + called("g") + answered("f", "1") +
                                answered("f", "again") + answered("g", "2"));
  EXPECT_THAT(settled.told, ElementsAre("messages[3]: a further result of a call that has one"));
  const Settled late = settle(kUser + calls(call("f", "a")) + result("1", "a") +
                              said("user", "and?") + result("later", "a"));
  EXPECT_EQ(late.prompt, "<|turn>model\n" + called("f") + answered("f", "1") +
                             "<turn|>\n<|turn>user\nand?<turn|>\n<|turn>model\n" +
                             answered("f", "later"));
}

TEST(ToolMessages, AResultOfNoCallIsNamedByItself) {
  const Settled settled = settle(kUser + calls(call("f", "a")) + result("1", "a") +
                                 result("2", "z") + result("3", "y", "named"));
  EXPECT_EQ(settled.prompt, "<|turn>model\n" + called("f") + answered("f", "1") +
                                answered("z", "2") + answered("named", "3"));
  EXPECT_THAT(settled.told, ElementsAre(HasSubstr("belongs to none of the calls")));
}

TEST(ToolMessages, CallsWithoutResultsAreTold) {
  const Settled some =
      settle(kUser + calls(call("f", "a") + ", " + call("g", "b")) + result("2", "b"));
  EXPECT_EQ(some.prompt, "<|turn>model\n" + called("f") + called("g") + answered("g", "2"));
  EXPECT_THAT(some.told, ElementsAre("messages[1].tool_calls[0]: the call has no result"));
  const Settled none = settle(kUser + calls(call("f", "a")) + said("user", "stop"));
  EXPECT_EQ(none.prompt, "<|turn>model\n" + called("f") +
                             "<|tool_response><|turn>user\nstop<turn|>\n<|turn>model\n");
  EXPECT_THAT(none.told, ElementsAre("messages[1].tool_calls[0]: the call has no result"));
}

TEST(ToolMessages, AResultGoesBackToItsCall) {
  const Settled user =
      settle(kUser + calls(call("f", "a")) + said("user", "quick") + result("1", "a"));
  EXPECT_EQ(user.prompt, "<|turn>model\n" + called("f") + answered("f", "1") +
                             "<turn|>\n<|turn>user\nquick<turn|>\n<|turn>model\n");
  EXPECT_THAT(user.told, ElementsAre("messages[3]: does not follow its call: the model sees the "
                                     "result there"));
  // Within a turn what was said meanwhile goes before the call: the result comes last.
  const Settled text = settle(kUser + calls(call("f", "a") + ", " + call("g", "b")) +
                              said("assistant", "wait") + result("1", "a") + result("2", "b"));
  EXPECT_EQ(text.prompt, "<|turn>model\nwait" + called("f") + called("g") + answered("f", "1") +
                             answered("g", "2"));
  // Where a text of the assistant's would be last, the result stays last.
  const Settled late = settle(kUser + calls(call("f", "a")) + said("user", "quick") +
                              said("assistant", "soon") + result("1", "a"));
  EXPECT_EQ(late.prompt, "<|turn>model\n" + called("f") + "<|tool_response><|turn>user\nquick" +
                             "<turn|>\n<|turn>model\nsoon" + answered("f", "1"));
}

// A result without a call comes back to the assistant too: no text of his is last.
TEST(ToolMessages, AResultGoesBackToItsCallPastOneWithoutACall) {
  const Settled settled = settle(kUser + calls(call("f", "a")) + said("user", "quick") +
                                 result("2", "x") + result("1", "a"));
  EXPECT_EQ(settled.prompt, "<|turn>model\n" + called("f") + answered("f", "1") +
                                "<turn|>\n<|turn>user\nquick<turn|>\n<|turn>model\n" +
                                answered("x", "2"));
}

TEST(ToolMessages, ManyAreEachMatchedToACall) {
  constexpr int kMany = 5'000;
  Json messages = Json::array();
  for (int turn = 0; turn < 2; ++turn) {
    Json list = Json::array();
    for (int i = 0; i < kMany; ++i) {
      Json one = {{"function", {{"name", "f"}}}};
      if (turn == 0) one["id"] = "c" + std::to_string(i);
      list.push_back(std::move(one));
    }
    messages.push_back({{"role", "assistant"}, {"content", nullptr}, {"tool_calls", list}});
    for (int i = kMany - 1; i >= 0; --i) {
      messages.push_back({{"role", "tool"}, {"content", ""}});
      messages.back()["tool_call_id"] = (turn == 0 ? "c" : "d") + std::to_string(i);
    }
  }
  RequestNotes notes;
  settle_tool_messages(
      messages, CallIds::expected, [](std::size_t i) { return element_path("messages", i); },
      notes);
  EXPECT_EQ(messages.size(), 2U * kMany + 2);
  for (int i = 0; i < kMany; ++i) {
    ASSERT_EQ(messages[1 + i]["tool_call_id"], "c" + std::to_string(i));
    ASSERT_EQ(messages[kMany + 2 + i]["tool_call_id"], i);
  }
}

}  // namespace
}  // namespace pleiad::api
