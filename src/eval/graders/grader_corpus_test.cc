// The battery's graders on replies that people wrote down and judged: testdata/, a file for each
// kind of question. Every third right and wrong reply of a file was held back while the graders
// were made; those of later.json were written when they were done.

#include "base/json.h"
#include "base/mapped_file.h"
#include "base/testing/paths.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "eval/battery.h"
#include "eval/eval_testing.h"
#include "eval/graders/reply_text.h"

namespace pleiad::eval {
namespace {

std::string text_of(const std::string& path) {
  const MappedFile file(path);
  const auto bytes = file.bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Words in an order that has nothing to do with the language.
std::string in_another_order(const std::string& text, unsigned seed) {
  std::vector<std::string> words = words_in(text);
  std::minstd_rand random(seed);
  for (std::size_t i = words.size(); i > 1; --i) std::swap(words[i - 1], words[random() % i]);
  std::string shuffled;
  for (const std::string& word : words) shuffled += word + ' ';
  return shuffled;
}

/// Words of the paragraphs, each as likely as any other.
std::string random_words(const Json& paragraphs, std::size_t n, unsigned seed) {
  std::set<std::string> vocabulary;
  for (const auto& item : paragraphs.items()) {
    for (std::string& word : words_in(item.value().get<std::string>())) {
      vocabulary.insert(std::move(word));
    }
  }
  const std::vector<std::string> words(vocabulary.begin(), vocabulary.end());
  std::minstd_rand random(seed);
  std::string text;
  for (std::size_t i = 0; i < n; ++i) text += words[random() % words.size()] + ' ';
  return text;
}

/// A long reply: paragraphs one after another, or what a model out of its mind makes of them.
std::string composed(const Json& reply, const Json& paragraphs) {
  if (reply.contains("text")) return reply["text"].get<std::string>();
  if (reply.contains("random_words")) {
    return random_words(paragraphs, reply["random_words"].get<std::size_t>(),
                        reply["seed"].get<unsigned>());
  }
  const std::string between = reply.value("between", "\n\n");
  std::string text;
  for (int round = 0; round < reply.value("times", 1); ++round) {
    std::size_t n = 0;
    for (const Json& name : reply["paragraphs"]) {
      if (!text.empty()) text += between;
      if (reply.contains("headings")) text += reply["headings"][n].get<std::string>() + "\n\n";
      text += paragraphs[name.get<std::string>()].get<std::string>();
      ++n;
    }
  }
  if (reply.contains("shuffled")) text = in_another_order(text, reply["shuffled"].get<unsigned>());
  return reply.value("before", "") + text + reply.value("after", "");
}

ChatReply reply_of(const Json& written, const Json& paragraphs) {
  if (written.is_string()) return saying(written.get<std::string>());
  if (!written.contains("calls")) return saying(composed(written, paragraphs));
  ChatReply reply = saying(written.value("content", ""));
  for (const Json& call : written["calls"]) {
    text::ReplyEvent event;
    const bool broken = call.contains("broken");
    event.kind =
        broken ? text::ReplyEvent::Kind::broken_tool_call : text::ReplyEvent::Kind::tool_call;
    event.name = call.value("name", "");
    event.arguments = call.contains("arguments") ? call["arguments"] : Json::object();
    event.problem = call.value("broken", "");
    reply.reply.tool_calls.push_back(std::move(event));
  }
  return reply;
}

/// What the user says in words, beside pictures, sounds or alone.
std::string words_of(const Json& content) {
  return content.is_string() ? content.get<std::string>()
                             : content.back().at("text").get<std::string>();
}

/// The grader of the turn in which the user says this, or something that begins so.
const Grader* grader_of(const std::vector<Check>& checks, const std::string& question) {
  for (const Check& check : checks) {
    for (const Case& item : check.cases) {
      for (const Turn& turn : item.turns) {
        const std::string asked = words_of(turn.messages.front().at("content"));
        if (asked.starts_with(question)) return &turn.grade;
      }
    }
  }
  return nullptr;
}

class GraderCorpus : public testing::TestWithParam<const char*> {};

TEST_P(GraderCorpus, IsJudgedAsPeopleJudgeIt) {
  const std::string path = source_path("src/eval/testdata/") + GetParam() + ".json";
  const Json corpus = parse_json(text_of(path), path);
  const auto checks =
      choose_checks(make_battery({}), corpus["checks"].get<std::vector<std::string>>());
  const Json paragraphs = corpus.value("paragraphs", Json::object());
  std::map<bool, int> n;
  for (const Json& item : corpus["cases"]) {
    const auto question = item["question"].get<std::string>();
    const Grader* grade = grader_of(checks, question);
    ASSERT_TRUE(grade) << "the battery does not ask: " << question;
    for (const bool right : {true, false}) {
      for (const Json& written : item[right ? "right" : "wrong"]) {
        const Verdict verdict = (*grade)(reply_of(written, paragraphs));
        EXPECT_EQ(verdict.right, right)
            << (right ? "fails" : "passes") << (n[right] % 3 == 2 ? ", held back: " : ": ")
            << question << "\n  " << to_text(written) << "\n  " << verdict.why;
        ++n[right];
      }
    }
  }
  EXPECT_GE(n[true], 20);
  EXPECT_GE(n[false], 20);
}

INSTANTIATE_TEST_SUITE_P(Kinds, GraderCorpus,
                         testing::Values("counting", "numbers", "calendar", "reverse", "spell",
                                         "upper_case", "json", "json_schema", "tool_call",
                                         "tool_choice", "language", "long_answer", "pictures",
                                         "sounds", "later"),
                         [](const auto& item) { return item.param; });

}  // namespace
}  // namespace pleiad::eval
