#include "text/call_stream.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "text/reply_parser.h"
#include "text/tags.h"

namespace pleiad::text {
namespace {

using Kind = ReplyEvent::Kind;

/// What a parser tells of the calls in a reply.
struct Told {
  std::string begun;
  std::vector<std::string> pieces;
  std::vector<ReplyEvent> calls;

  std::string json() const {
    std::string out;
    for (const std::string& piece : pieces) out += piece;
    return out;
  }
};

/// Tags are spelled, and cut with the text into pieces of `step` bytes.
Told told(std::string_view text, std::size_t step, bool cut_off = false, bool pieces = true) {
  ReplyParser parser({.call_pieces = pieces});
  Told out;
  const auto take = [&](std::vector<ReplyEvent> events) {
    for (ReplyEvent& event : events) {
      if (event.kind == Kind::call_begun) {
        out.begun += event.name;
      } else if (event.kind == Kind::call_arguments) {
        EXPECT_FALSE(out.begun.empty());
        out.pieces.push_back(event.text);
      } else if (event.kind == Kind::tool_call || event.kind == Kind::broken_tool_call) {
        out.calls.push_back(std::move(event));
      }
    }
  };
  for (std::size_t at = 0; at < text.size(); at += step)
    take(parser.push_text(text.substr(at, step)));
  take(parser.finish(cut_off));
  return out;
}

Told told_call(const std::string& body, std::size_t step) {
  return told("<|tool_call>" + body + "<tool_call|>", step);
}

TEST(CallStream, ArgumentsAreTheJsonOfTheWholeCallHoweverTheyAreCut) {
  for (const char* body : {
           "call:f{}",
           "call:f{a:1}",
           "call:now.time-1{zone:<|\"|><|\"|>,list:[],other:{}}",
           "call:f{s:<|\"|>text, with: {braces}, \"quotes\", \\ and\nlines<|\"|>,i:-12,f:1.50,"
           "t:true,n:null,l:[1,<|\"|>a<|\"|>,[],{k:[false]}],o:{k:{}}}",
           "call:f{<|\"|>quoted: key<|\"|>:<|\"|>日本 🙂<|\"|>}",
           "call:f{<|\"|><|\"|>:1,o:{<|\"|><|\"|>:<|\"|>x<|\"|>}}",
           "call:f{a:123456789012345678,b:-0.000000001,c:1e5}",
       }) {
    for (const std::size_t step : {1, 2, 3, 7, 1000}) {
      const Told call = told_call(body, step);
      ASSERT_EQ(call.calls.size(), 1U) << body;
      EXPECT_EQ(call.calls[0].kind, Kind::tool_call) << call.calls[0].problem;
      EXPECT_EQ(call.begun, call.calls[0].name);
      EXPECT_EQ(call.json(), to_text(call.calls[0].arguments)) << body;
    }
  }
}

TEST(CallStream, StringsComeAsTheyAreWritten) {
  ReplyParser parser({.call_pieces = true});
  const auto pieces = [&](std::vector<ReplyEvent> events) {
    std::string out;
    for (const ReplyEvent& event : events) {
      if (event.kind == Kind::call_begun) out += event.name + "(";
      if (event.kind == Kind::call_arguments) out += event.text;
    }
    return out;
  };
  parser.push_control(Tag::tool_call_open);
  EXPECT_EQ(pieces(parser.push_text("call:wri")), "");
  EXPECT_EQ(pieces(parser.push_text("te{te")), "write({");
  EXPECT_EQ(pieces(parser.push_text("xt:")), "\"text\":");
  EXPECT_EQ(pieces(parser.push_control(Tag::quote)), "\"");
  EXPECT_EQ(pieces(parser.push_text("say \"a\"\xE6\x97")), "say \\\"a\\\"");
  EXPECT_EQ(pieces(parser.push_text("\xA5 <tool_call|>")), "日 <tool_call|>");
  EXPECT_EQ(pieces(parser.push_control(Tag::quote)), "\"");
  EXPECT_EQ(pieces(parser.push_text(",n:1")), ",\"n\":");
  EXPECT_EQ(pieces(parser.push_text("2}")), "12}");
  const auto end = parser.push_control(Tag::tool_call_close);
  ASSERT_EQ(end.size(), 1U);
  EXPECT_EQ(to_text(end[0].arguments), R"({"text":"say \"a\"日 <tool_call|>","n":12})");
}

// From there on nothing comes until the whole call is read.
TEST(CallStream, WhatIsToBeGuessedWaitsForTheEnd) {
  const std::pair<const char*, const char*> cases[] = {
      {"call:f{a:1,b:bare text, with a comma,c:2}", R"({"a":1,"b":)"},
      {"call:f{a:'quoted',b:2}", R"({"a":)"},
      {"call:f{a:[1,2", R"({"a":[1,)"},
      {"call:f{ a : 1 ,, b : 2 }", R"({"a":1,)"},
  };
  for (const auto& [body, certain] : cases) {
    for (const std::size_t step : {1, 5, 1000}) {
      const Told call = told_call(body, step);
      ASSERT_EQ(call.calls.size(), 1U);
      EXPECT_EQ(call.calls[0].kind, Kind::tool_call) << body << call.calls[0].problem;
      EXPECT_EQ(call.json(), to_text(call.calls[0].arguments));
      EXPECT_TRUE(call.json().starts_with(certain)) << call.json();
    }
  }
  EXPECT_EQ(told_call("call:two words{a:1}", 3).begun, "");
  EXPECT_EQ(told_call("f{a:1}", 3).begun, "");
}

TEST(CallStream, WhatDoesNotEndAsItBeganIsBroken) {
  const Told call = told_call("call:f{a:<|\"|>ls -la}", 4);  // read as "ls -la", without the brace
  EXPECT_EQ(call.begun, "f");
  ASSERT_EQ(call.calls.size(), 1U);
  EXPECT_EQ(call.calls[0].kind, Kind::broken_tool_call);
  EXPECT_EQ(call.calls[0].problem, "it does not end as it began");
  EXPECT_FALSE(call.calls[0].cut_off);
  const Told twice = told_call("call:f{a:1}call:g{b:2}", 4);
  ASSERT_EQ(twice.calls.size(), 2U);
  EXPECT_EQ(twice.begun, "f");
  EXPECT_EQ(twice.json(), R"({"a":1})");
  EXPECT_EQ(twice.calls[1].name, "g");
}

TEST(CallStream, ACallThatIsCutOffIsToldAsThat) {
  for (const bool pieces : {false, true}) {
    const Told call = told("<|tool_call>call:bash{command:<|\"|>rm -rf /tmp", 5, true, pieces);
    EXPECT_EQ(call.json(), pieces ? R"({"command":"rm -rf /tmp)" : "");
    ASSERT_EQ(call.calls.size(), 1U);
    EXPECT_EQ(call.calls[0].kind, Kind::broken_tool_call);
    EXPECT_TRUE(call.calls[0].cut_off);
  }
}

TEST(CallStream, NothingComesOfCallsThatAreContent) {
  ReplyParser parser({.tools_enabled = false, .call_pieces = true});
  const auto events = parser.push_text("<|tool_call>call:f{a:1}<tool_call|>");
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].kind, Kind::content);
}

constexpr std::array kCallFragments = {"<|tool_call>",
                                       "<tool_call|>",
                                       "<|\"|>",
                                       "<|\"|>",
                                       "call:f{",
                                       "call:",
                                       "a:",
                                       "b:",
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
                                       "<|tool",
                                       "true",
                                       "none",
                                       "12",
                                       "-3.5",
                                       "hello",
                                       "日",
                                       "<turn|>",
                                       "<|channel>"};

// Whatever comes: pieces are the same however it is cut, and those of a call that is whole are
// JSON.
TEST(CallStream, PiecesDoNotDependOnHowTheTextIsCut) {
  std::mt19937 random(3);
  int n_calls = 0;
  for (int round = 0; round < 10'000; ++round) {
    std::string text = "<|tool_call>call:f{a:";
    for (unsigned i = random() % 12; i > 0; --i)
      text += kCallFragments[random() % kCallFragments.size()];
    text += "<tool_call|>";
    const Told whole = told(text, text.size());
    const Told parts = told(text, 1 + random() % 3);
    ASSERT_EQ(whole.begun, parts.begun) << text;
    ASSERT_EQ(whole.json(), parts.json()) << text;
    ASSERT_EQ(whole.calls.size(), parts.calls.size()) << text;
    if (whole.calls.size() != 1 || whole.calls[0].kind != Kind::tool_call) continue;
    ++n_calls;
    ASSERT_EQ(whole.begun, "f") << text;
    const Json read = json_or_discarded(whole.json());
    ASSERT_TRUE(read.is_object()) << text << " " << whole.json();
    ASSERT_EQ(read.size(), whole.calls[0].arguments.size()) << text;
  }
  EXPECT_GT(n_calls, 500);
}

/// A value as Gemma writes it.
void append_value(std::string& out, std::mt19937& random, int depth) {
  const auto string = [&] {
    out += "<|\"|>";
    for (unsigned i = random() % 5; i > 0; --i) {
      out +=
          std::array{"a", "\"", "{", "}", ",", ":", "\n", "é", "日", "'", "\\", " "}[random() % 12];
    }
    out += "<|\"|>";
  };
  switch (random() % (depth > 3 ? 3 : 5)) {
    case 0:
      out += std::array{
          "1", "-2.5", "true", "false", "null", "0", "12345678901234", "1e3"}[random() % 8];
      break;
    case 1:
    case 2:
      string();
      break;
    case 3:
      out += '[';
      for (unsigned i = 0, n = random() % 3; i < n; ++i) {
        if (i > 0) out += ',';
        append_value(out, random, depth + 1);
      }
      out += ']';
      break;
    default:
      out += '{';
      for (unsigned i = 0, n = random() % 3; i < n; ++i) {
        if (i > 0) out += ',';
        out += "k" + std::to_string(i) + ':';
        append_value(out, random, depth + 1);
      }
      out += '}';
  }
}

TEST(CallStream, RandomCallsAreTheSameInPiecesAndWhole) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string body = "call:f{a:";
    append_value(body, random, 0);
    body += '}';
    const Told call = told_call(body, 1 + random() % 9);
    ASSERT_EQ(call.calls.size(), 1U) << body;
    ASSERT_EQ(call.calls[0].kind, Kind::tool_call) << body << call.calls[0].problem;
    ASSERT_EQ(call.json(), to_text(call.calls[0].arguments)) << body;
  }
}

}  // namespace
}  // namespace pleiad::text
