#include "text/reply_parser.h"

#include <gtest/gtest.h>

#include <random>

namespace pleiad::text {
namespace {

Reply parse(std::string_view text, ReplyOptions options = {}, bool cut_off = false) {
  ReplyParser parser(options);
  Reply reply;
  for (ReplyEvent& event : parser.push_text(text)) reply.add(std::move(event));
  for (ReplyEvent& event : parser.finish(cut_off)) reply.add(std::move(event));
  return reply;
}

/// A reply on one line: T(thought) C(content) name{arguments} !(broken).
std::string summary(const Reply& reply) {
  std::string out;
  if (!reply.thinking.empty()) out += "T(" + reply.thinking + ")";
  if (!reply.content.empty()) out += "C(" + reply.content + ")";
  for (const ReplyEvent& call : reply.tool_calls) {
    out += call.kind == ReplyEvent::Kind::tool_call ? call.name + to_text(call.arguments)
                                                    : "!(" + call.text + ")";
  }
  return out;
}

std::string parsed(std::string_view text, ReplyOptions options = {}) {
  return summary(parse(text, options));
}

std::string parsed_call(const std::string& body) {
  return parsed("<|tool_call>" + body + "<tool_call|>");
}

TEST(ReplyParser, SplitsThoughtsContentAndCalls) {
  EXPECT_EQ(parsed("Hello"), "C(Hello)");
  EXPECT_EQ(parsed("<|channel>thought\nhm, \n\n<channel|>\n\nHi there \n<turn|>"),
            "T(hm,)C(Hi there \n)");
  EXPECT_EQ(parsed("<|turn>model\nHi"), "C(Hi)");
  EXPECT_EQ(parsed("<|channel>thought\nx<channel|><|tool_call>call:ls{}<tool_call|>"), "T(x)ls{}");
  EXPECT_EQ(parsed("On it.<|tool_call>call:f{a:1}<tool_call|>\n<|tool_call>call:g{}<tool_call|>"),
            "C(On it.)f{\"a\":1}g{}");
  EXPECT_EQ(parsed("<|channel>thoughtful words<channel|>x"), "T(thoughtful words)C(x)");
}

TEST(ReplyParser, ForgivesStrayChannelTags) {
  EXPECT_EQ(parsed("<|channel><channel|>Hi"), "C(Hi)");
  EXPECT_EQ(parsed("<|channel>thought\n<channel|>Hi"), "C(Hi)");
  EXPECT_EQ(parsed("<|channel>thought<channel|>Hi"), "C(Hi)");
  EXPECT_EQ(parsed("Hi<channel|>"), "C(Hi)");
  EXPECT_EQ(parsed("Hi<|channel>thought\n<channel|>"), "C(Hi)");
  EXPECT_EQ(parsed("<|channel>thought\n<|channel>thought\n<|channel>x<channel|>Hi"), "T(x)C(Hi)");
  EXPECT_EQ(parsed("<|channel>thought\nnever closed"), "T(never closed)");
  EXPECT_EQ(parsed("<|channel>thought\nx<|tool_call>call:f{}<tool_call|>"), "T(x)f{}");
}

TEST(ReplyParser, BeginsInsideAThoughtWhenThePromptDoes) {
  EXPECT_EQ(parsed("go on<channel|>answer", {.started_in_thinking = true}), "T(go on)C(answer)");
  EXPECT_EQ(parsed("<|channel>thought\ngo on<channel|>answer", {.started_in_thinking = true}),
            "T(go on)C(answer)");
}

TEST(ReplyParser, GoesOnWithAThoughtThatHasItsLabel) {
  EXPECT_EQ(parsed("thought\nabout<channel|>x", {.started_in_thinking = true, .begun = "I "}),
            "T(thought\nabout)C(x)");
  EXPECT_EQ(parsed(" 4, 5", {.begun = "1, 2, 3,"}), "C( 4, 5)");
}

TEST(ReplyParser, DropsAndCountsThoughtsWhenThinkingIsOff) {
  ReplyParser parser({.thinking_enabled = false});
  Reply reply;
  for (ReplyEvent& event : parser.push_text("<|channel>thought\nsecret \n<channel|>answer")) {
    reply.add(std::move(event));
  }
  EXPECT_EQ(summary(reply), "C(answer)");
  EXPECT_EQ(parser.dropped_thinking_bytes(), 6u);
}

TEST(ReplyParser, IgnoresWhatFollowsTheEndOfTheTurn) {
  ReplyParser parser({});
  parser.push_text("Hi<turn|>");
  EXPECT_TRUE(parser.ended());
  EXPECT_TRUE(parser.push_text("\n<|turn>user\nmore").empty());
}

TEST(ReplyParser, ReadsEveryKindOfArgument) {
  EXPECT_EQ(parsed_call("call:f{s:<|\"|>text, with: {braces} and \"quotes\"<|\"|>,i:-12,f:1.50,"
                        "t:true,n:null,l:[1,<|\"|>a<|\"|>,[]],o:{k:{}}}"),
            R"(f{"s":"text, with: {braces} and \"quotes\"","i":-12,"f":1.5,"t":true,"n":null,)"
            R"("l":[1,"a",[]],"o":{"k":{}}})");
  EXPECT_EQ(parsed_call("call:a.b-c_9{}"), "a.b-c_9{}");
  EXPECT_EQ(parsed_call("call:f{<|\"|>quoted key<|\"|>:1}"), R"(f{"quoted key":1})");
  EXPECT_EQ(parsed_call("call:f{a:<|\"|><|\"|>}"), R"(f{"a":""})");
  EXPECT_EQ(parsed_call("call:f{a:True,b:None,c:nil,d:1e3,e:007,f:v1.2.3}"),
            R"(f{"a":true,"b":null,"c":null,"d":1000.0,"e":"007","f":"v1.2.3"})");
  EXPECT_EQ(parsed_call("call:f{big:123456789012345678901234567890}"),
            R"(f{"big":"123456789012345678901234567890"})");
  EXPECT_EQ(parsed_call("call:f{big:-123456789012345000000000000000}"),
            R"(f{"big":-1.23456789012345e+29})");
  EXPECT_EQ(parsed_call(" \ncall:f{ a : 1 , b : [ 2 , 3 ] }\n"), R"(f{"a":1,"b":[2,3]})");
  EXPECT_EQ(parsed_call("call:f"), "f{}");
}

TEST(ReplyParser, RepairsBrokenArguments) {
  EXPECT_EQ(parsed_call("call:f{a:1"), R"(f{"a":1})");
  EXPECT_EQ(parsed_call("call:f{a:{b:[1"), R"(f{"a":{"b":[1]}})");
  EXPECT_EQ(parsed_call("call:f{a:<|\"|>ls -la}"), R"(f{"a":"ls -la"})");
  EXPECT_EQ(parsed_call("call:f{a:{b:<|\"|>x}}"), R"(f{"a":{"b":"x"}})");
  EXPECT_EQ(parsed_call("call:f{a:<|\"|>ls"), R"(f{"a":"ls"})");
  EXPECT_EQ(parsed_call("call:f{a:ls<|\"|>}"), R"(f{"a":"ls"})");
  EXPECT_EQ(parsed_call("call:f{a:'it's, ok',b:2}"), R"(f{"a":"it's, ok","b":2})");
  EXPECT_EQ(parsed_call(R"(call:f{"a": "x \"y\" \n", 'b': 'z'})"),
            R"(f{"a":"x \"y\" \n","b":"z"})");
  EXPECT_EQ(parsed_call("call:f{a:echo hi, there,b:2}"), R"(f{"a":"echo hi, there","b":2})");
  EXPECT_EQ(parsed_call("call:f{a:awk {print}}"), R"(f{"a":"awk {print}"})");
  EXPECT_EQ(parsed_call("call:f{a:1}}"), R"(f{"a":1})");
  EXPECT_EQ(parsed_call("call:f{a:1}call:g{}"), R"(f{"a":1}g{})");
  EXPECT_EQ(parsed("<|tool_call>call:f{}<|tool_call>call:g{}<tool_call|><tool_call|>"), "f{}g{}");
  EXPECT_EQ(parsed("<|tool_call>call:f{a:1}"), R"(f{"a":1})");
  EXPECT_EQ(parsed("<|tool_call>call:f{a:1}<|tool_response>"), R"(f{"a":1})");
  EXPECT_EQ(parsed("<|tool_call>call:f{a:1}<turn|>"), R"(f{"a":1})");
  EXPECT_EQ(parsed("<|tool_call>call:f{a:<|\"|><|tool_call> </|\"|><|\"|>}<tool_call|>"),
            R"(f{"a":"<|tool_call> </|\"|>"})");
}

TEST(ReplyParser, ReportsWhatItCannotReadInsteadOfLosingIt) {
  EXPECT_EQ(parsed_call("f{}"), "!(f{})");
  EXPECT_EQ(parsed_call("call:{}"), "!(call:{})");
  EXPECT_EQ(parsed_call("call:two words{}"), "!(call:two words{})");
  EXPECT_EQ(parsed_call("call:f{1}"), "!(call:f{1})");
  EXPECT_EQ(parsed_call("call:f{a:1} | rm"), "!(call:f{a:1} | rm)");
  EXPECT_EQ(parsed_call("call:f{<|\"|>a<|\"|>}"), "!(call:f{<|\"|>a<|\"|>})");
  const std::string deep = "call:f{a:" + std::string(100000, '[') + "}";
  EXPECT_EQ(parsed_call(deep), "!(" + deep + ")");
}

TEST(ReplyParser, NeverCompletesACallThatWasCutOff) {
  const Reply reply = parse("<|tool_call>call:bash{command:<|\"|>rm -rf /tmp", {}, true);
  EXPECT_EQ(summary(reply), "!(call:bash{command:<|\"|>rm -rf /tmp)");
  EXPECT_EQ(reply.tool_calls[0].problem, "the reply was cut off inside the call");
}

TEST(ReplyParser, ShowsCallsAsContentWhenToolsAreOff) {
  EXPECT_EQ(parsed("a<|tool_call>call:f{a:<|\"|>x<|\"|>}<tool_call|>b", {.tools_enabled = false}),
            "C(a<|tool_call>call:f{a:<|\"|>x<|\"|>}<tool_call|>b)");
}

TEST(ReplyParser, TakesSpelledTagsAsTextInsideWhatATokenOpened) {
  ReplyParser parser({});
  Reply reply;
  const auto add = [&](std::vector<ReplyEvent> events) {
    for (ReplyEvent& event : events) reply.add(std::move(event));
  };
  add(parser.push_control(Tag::tool_call_open));
  add(parser.push_text("call:write{text:"));
  add(parser.push_control(Tag::quote));
  add(parser.push_text("calls end with <tool_call|> and <|\"|>"));
  add(parser.push_control(Tag::quote));
  add(parser.push_text("}"));
  add(parser.push_control(Tag::tool_call_close));
  add(parser.finish(false));
  EXPECT_EQ(summary(reply), R"(write{"text":"calls end with <tool_call|> and <|\"|>"})");
}

TEST(ReplyParser, CanTakeEverySpelledTagAsText) {
  EXPECT_EQ(parsed("write <|channel> here", {.spelled_tags = false}), "C(write <|channel> here)");
}

TEST(ReplyParser, KeepsBackOnlyWhatCanBecomeATag) {
  ReplyParser parser({});
  const auto shown = [&](std::string_view text) {
    std::string out;
    for (const ReplyEvent& event : parser.push_text(text)) out += event.text;
    return out;
  };
  EXPECT_EQ(shown("a < b"), "a < b");
  EXPECT_EQ(shown("c <|chan"), "c ");
  EXPECT_EQ(shown("ce"), "<|chance");
  EXPECT_EQ(shown("<|tool_"), "");
  EXPECT_EQ(shown("box>\n\n"), "<|tool_box>\n\n");
  EXPECT_EQ(shown("<|"), "");
  EXPECT_EQ(parser.finish(false)[0].text, "<|");
}

const std::string_view kFragments[] = {
    "<|turn>",
    "<turn|>",
    "<|channel>",
    "<channel|>",
    "<|tool_call>",
    "<tool_call|>",
    "<|tool_response>",
    "<tool_response|>",
    "<|\"|>",
    "<|\"|>",
    "thought\n",
    "thought",
    "model\n",
    "call:",
    "call:f{",
    "a:",
    "b.c-d",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "'",
    "\"",
    "\\",
    " ",
    "\n",
    "\n\n",
    "<",
    "<|",
    "|>",
    "<|tool",
    "true",
    "none",
    "12",
    "-3.5",
    "1e9",
    "hello",
    "日本",
    "🙂",
    "<eos>",
};

std::string random_reply(std::mt19937& random) {
  std::string text;
  const auto length = random() % 30;
  for (unsigned i = 0; i < length; ++i) text += kFragments[random() % std::size(kFragments)];
  return text;
}

TEST(ReplyParser, DoesNotDependOnHowTheTextIsCut) {
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    const std::string text = random_reply(random);
    const ReplyOptions options = {.started_in_thinking = random() % 4 == 0,
                                  .thinking_enabled = random() % 4 != 0,
                                  .tools_enabled = random() % 4 != 0};
    ReplyParser parser(options);
    Reply reply;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t step = 1 + random() % (round % 3 == 0 ? 1 : 7);
      for (ReplyEvent& event : parser.push_text(std::string_view(text).substr(at, step))) {
        reply.add(std::move(event));
      }
      at += step;
    }
    for (ReplyEvent& event : parser.finish(false)) reply.add(std::move(event));
    ASSERT_EQ(summary(reply), parsed(text, options)) << text;
  }
}

TEST(ReplyParser, TakesLinearTime) {
  const auto many = [](std::string_view part) {
    std::string out;
    while (out.size() < 400000) out += part;
    return out;
  };
  for (const std::string_view part : {"<", "<|tool_", "<|channel>", " ", "a", "<channel|> ",
                                      "<|\"|>", "'", "',", "\"", "[", "{", "\\\"", "a,", "'a"}) {
    for (const std::string_view start :
         {"", "<|channel>", "<|tool_call>call:f{a:", "<|tool_call>call:f{a:["}) {
      ReplyParser parser({});
      const std::string text = std::string(start) + many(part);
      for (std::size_t at = 0; at < text.size(); at += 3) {
        parser.push_text(std::string_view(text).substr(at, 3));
      }
      parser.finish(false);
    }
  }
}

}  // namespace
}  // namespace pleiad::text
