#include "engine/thought_limit.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/testing/demo_engine_test.h"
#include "engine/testing/demo_tokenizer.h"

namespace pleiad {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using testing_support::demo_tokenizer;
using text::Tag;
using text::TokenId;

/// Allows every token, and remembers which came.
class Listener final : public sampling::TokenConstraint {
 public:
  explicit Listener(std::vector<TokenId>& heard) : heard_(heard) {}
  bool allowed_next(std::span<std::uint64_t> allowed) override {
    std::fill(allowed.begin(), allowed.end(), ~std::uint64_t{0});
    return true;
  }
  void accept(std::int32_t token) override { heard_.push_back(token); }
  std::unique_ptr<sampling::TokenConstraint> copy() const override {
    return std::make_unique<Listener>(*this);
  }

 private:
  std::vector<TokenId>& heard_;
};

TokenId tag(Tag tag) { return *demo_tokenizer().vocabulary().tag(tag); }

/// A model that says what it is told to, as far as the limit lets it.
class Speaker {
 public:
  explicit Speaker(ThoughtRules rules, text::ReplyOptions reply = {}, bool listens = false)
      : ended_(std::make_shared<std::optional<EndedThought>>()),
        limit_(demo_tokenizer(), rules, reply,
               listens ? std::make_unique<Listener>(heard_) : nullptr, ended_) {}

  void say(const std::string& text) {
    for (const TokenId token : demo_tokenizer().encode_with_control(text)) say(token);
  }
  /// False where another token had to come, or this one could not; it is left out then.
  bool say(TokenId token) {
    const std::size_t words = (demo_tokenizer().vocabulary().size() + 63) / 64;
    std::vector<std::uint64_t> allowed(words);
    const bool forced = follow_forced(allowed);
    const auto i = static_cast<std::size_t>(token);
    if (limit_.allowed_next(allowed) && (allowed[i / 64] >> (i % 64) & 1) == 0) return false;
    accept(token);
    return !forced;
  }
  /// What still has to come.
  void settle() {
    std::vector<std::uint64_t> allowed((demo_tokenizer().vocabulary().size() + 63) / 64);
    (void)follow_forced(allowed);
  }

  std::string text() const { return demo_tokenizer().decode_with_control(said_); }
  /// Tokens from the first tag of a thought to the last.
  std::int64_t thought_tokens() const {
    std::int64_t n = 0;
    bool inside = false;
    for (const TokenId token : said_) {
      inside = inside || token == tag(Tag::channel_open);
      n += inside ? 1 : 0;
      inside = inside && token != tag(Tag::channel_close);
    }
    return n;
  }
  const std::optional<EndedThought>& ended() const { return *ended_; }
  const std::vector<TokenId>& said() const { return said_; }
  const std::vector<TokenId>& heard() const { return heard_; }

 private:
  /// What has to come, and that it is told as a run too. True where anything has.
  bool follow_forced(std::vector<std::uint64_t>& allowed) {
    const std::vector<TokenId> run = limit_.forced_next(1000);
    const std::size_t n = std::min<std::size_t>(run.size(), 2);
    EXPECT_EQ(limit_.forced_next(2), std::vector<TokenId>(run.begin(), run.begin() + n));
    std::vector<TokenId> came;
    while (const auto only = single(allowed)) {
      accept(*only);
      came.push_back(*only);
    }
    EXPECT_EQ(run, came);
    return !came.empty();
  }
  std::optional<TokenId> single(std::vector<std::uint64_t>& allowed) {
    if (!limit_.allowed_next(allowed)) return std::nullopt;
    std::optional<TokenId> only;
    for (std::size_t i = 0; i < allowed.size() * 64; ++i) {
      if ((allowed[i / 64] >> (i % 64) & 1) == 0) continue;
      if (only) return std::nullopt;
      only = static_cast<TokenId>(i);
    }
    return only;
  }
  void accept(TokenId token) {
    limit_.accept(token);
    said_.push_back(token);
  }

  std::vector<TokenId> said_, heard_;
  std::shared_ptr<std::optional<EndedThought>> ended_;
  ThoughtLimit limit_;
};

std::string prose(int n_sentences) {
  std::string text;
  for (int i = 0; i < n_sentences; ++i) {
    text += "The sum of " + std::to_string(i) + " and 3.5 is what we look for here. ";
  }
  return text;
}

ThoughtRules budget(std::int64_t tokens) { return {tokens, false}; }

/// Tokens of a thought that says nothing.
std::int64_t least_thought() { return std::ssize(demo_tokenizer().encode_text("thought\n")) + 2; }

const std::string kWords(kClosingWords);

TEST(ThoughtLimit, EndsAThoughtAndLetsTheAnswerFollow) {
  Speaker speaker(budget(200));
  speaker.say("<|channel>thought\n" + prose(40));
  ASSERT_TRUE(speaker.ended());
  EXPECT_EQ(speaker.ended()->why, EndedThought::Why::budget);
  const std::string text = speaker.text();
  const auto close = text.find("<channel|>");
  ASSERT_NE(close, std::string::npos);
  EXPECT_THAT(text.substr(0, close), EndsWith("here.\n\n" + kWords + "\n"))
      << "at the end of a sentence";
  EXPECT_EQ(text.find("<channel|>", close + 1), std::string::npos);
  EXPECT_EQ(speaker.thought_tokens(), speaker.ended()->tokens);
  EXPECT_LE(speaker.thought_tokens(), 200);
  EXPECT_GE(speaker.thought_tokens(), 150);
}

TEST(ThoughtLimit, NeverTakesMoreThanTheBudget) {
  std::mt19937 random(3);
  for (std::int64_t tokens = 1; tokens < 400; tokens += tokens < 60 ? 1 : 17) {
    Speaker speaker(budget(tokens));
    std::string thought = "<|channel>thought\n";
    for (int i = 0; i < 500; ++i) {
      thought += std::vector<std::string>{
          "a", "word ", "\n", ". ", "😀", "Ж", "2.5", "\n\n\n"}[random() % 8];
    }
    speaker.say(thought);
    speaker.settle();
    EXPECT_LE(speaker.thought_tokens(), tokens);
    if (tokens < least_thought()) {
      EXPECT_EQ(speaker.thought_tokens(), 0) << "there is room for none";
      EXPECT_FALSE(speaker.ended());
      continue;
    }
    ASSERT_TRUE(speaker.ended()) << tokens;
    EXPECT_THAT(speaker.text(), StartsWith("<|channel>thought\n")) << "as the models know it";
    EXPECT_EQ(speaker.thought_tokens(), speaker.ended()->tokens);
    EXPECT_THAT(speaker.text(), Not(HasSubstr("\xEF\xBF\xBD<channel|>"))) << "half a character";
  }
}

TEST(ThoughtLimit, LeavesOutWordsForWhichThereIsNoRoom) {
  Speaker speaker(budget(12));
  speaker.say("<|channel>thought\n" + prose(2));
  EXPECT_THAT(speaker.text(), HasSubstr("<channel|>"));
  EXPECT_THAT(speaker.text(), Not(HasSubstr("I have thought")));
}

TEST(ThoughtLimit, TellsWhereABudgetHasRoomForNone) {
  const auto why = [](std::int64_t budget, bool has_begun) {
    return ThoughtLimit(demo_tokenizer(), {.budget = budget}, {.started_in_thinking = has_begun},
                        nullptr, nullptr)
        .why_none();
  };
  const std::int64_t least = 2 + std::ssize(demo_tokenizer().encode_text("thought\n"));
  EXPECT_EQ(why(least, false), "");
  EXPECT_EQ(why(least - 1, false),
            fmt::format("a thought takes {} tokens at least, so none is opened", least));
  EXPECT_EQ(why(1, true), "") << "it is there already";
}

TEST(ThoughtLimit, AddsNoLineBreaksBehindOne) {
  Speaker speaker(budget(160));
  std::string thought = "<|channel>thought\n";
  for (int i = 0; i < 60; ++i) thought += "step " + std::to_string(i) + "\n";
  speaker.say(thought);
  const std::string text = speaker.text();
  const auto words = text.find(kWords);
  ASSERT_NE(words, std::string::npos);
  EXPECT_EQ(text[words - 1], '\n');
  EXPECT_NE(text[words - 2], '\n');
}

TEST(ThoughtLimit, LeavesAThoughtAloneThatEndsInTime) {
  Speaker speaker(budget(100));
  speaker.say("<|channel>thought\nBriefly.<channel|>The answer: " + prose(60));
  EXPECT_FALSE(speaker.ended());
  EXPECT_THAT(speaker.text(), Not(HasSubstr(kWords)));
  Speaker none(budget(10));
  none.say(prose(60));
  EXPECT_FALSE(none.ended());
}

TEST(ThoughtLimit, CountsAllThoughtsOfAReply) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "<|channel>thought\nAgain, briefly.<channel|>Well. ";
  for (std::int64_t tokens = 1; tokens < 300; ++tokens) {
    Speaker speaker(budget(tokens), {}, tokens % 2 == 0);
    speaker.say(text);
    speaker.settle();
    EXPECT_LE(speaker.thought_tokens(), tokens);
    EXPECT_THAT(speaker.text(), EndsWith("Well. ")) << "it goes on without thoughts";
    EXPECT_THAT(speaker.text(), Not(HasSubstr("<|channel><channel|>")));
    if (speaker.ended()) {
      EXPECT_LE(speaker.ended()->tokens, tokens);
    }
  }
}

TEST(ThoughtLimit, FindsALoopThatOpensThoughtsWithinAThought) {
  Speaker speaker({std::nullopt, true});
  std::string thought = "<|channel>thought\n";
  for (int i = 0; i < 1500; ++i) thought += "<|channel>Hm, well. ";
  speaker.say(thought);
  ASSERT_TRUE(speaker.ended());
  EXPECT_EQ(speaker.ended()->why, EndedThought::Why::repetition);
}

TEST(ThoughtLimit, KnowsOfAThoughtThatThePromptHasBegun) {
  text::ReplyOptions reply;
  reply.started_in_thinking = true;
  reply.begun = "So far";
  Speaker speaker(budget(150), reply);
  speaker.say(prose(40));
  ASSERT_TRUE(speaker.ended());
  EXPECT_LE(speaker.ended()->tokens, 150);
  EXPECT_THAT(speaker.text(), HasSubstr(kWords + "\n<channel|>"));
}

TEST(ThoughtLimit, EndsAThoughtThatRepeatsItself) {
  Speaker speaker({std::nullopt, true});
  std::string thought = "<|channel>thought\nLet me see. ";
  for (int i = 0; i < 1500; ++i) thought += "Wait, no. ";
  speaker.say(thought);
  ASSERT_TRUE(speaker.ended());
  EXPECT_EQ(speaker.ended()->why, EndedThought::Why::repetition);
  EXPECT_LT(speaker.ended()->tokens, 1200);
  EXPECT_THAT(speaker.text(), HasSubstr(kWords + "\n<channel|>"));
}

TEST(ThoughtLimit, TellsWhatTheReplyHasToObeyOfEveryToken) {
  Speaker speaker(budget(60), {}, true);
  speaker.say("<|channel>thought\n" + prose(20));
  ASSERT_TRUE(speaker.ended());
  EXPECT_EQ(speaker.heard(), speaker.said());
}

TEST(ThoughtLimit, AQuarterIsLeftForTheAnswer) {
  EXPECT_EQ(share_for_thinking(1000, 4096).budget, 1000);
  EXPECT_EQ(share_for_thinking(1000, 4096).problem, "");
  EXPECT_EQ(share_for_thinking(4000, 4096).budget, 3072);
  EXPECT_EQ(
      share_for_thinking(4000, 4096).problem,
      "4,000 tokens of thinking were asked for, and the reply may have 4,096: the thought may "
      "take 3,072, so that there is room for an answer");
  EXPECT_EQ(share_for_thinking(100'000, 100'000).budget, 98'976);
  EXPECT_EQ(share_for_thinking(100, 8).budget, 6);
  EXPECT_EQ(share_for_thinking(100, 7).budget, std::nullopt);
  EXPECT_THAT(share_for_thinking(100, 7).problem, HasSubstr("7 tokens, which are too few"));
}

/// With the engine: what was put there is a part of the sequence like any other.
class ThoughtLimitEngineTest : public testing_support::DemoEngineTest<64, 32> {
 protected:
  static std::vector<TokenId> prompt() {
    return demo_tokenizer().encode_with_control(
        "<bos><|turn>user\nWhat is 2 + 2?<turn|>\n<|turn>model\n<|channel>thought\n");
  }
  static EngineRequest thinking(std::vector<TokenId> prompt, std::int64_t tokens,
                                std::uint64_t seed = 1) {
    EngineRequest request = testing_support::request(std::move(prompt), seed, 130);
    text::ReplyOptions reply;
    reply.started_in_thinking = true;
    request.constraint =
        std::make_unique<ThoughtLimit>(demo_tokenizer(), budget(tokens), reply, nullptr, nullptr);
    return request;
  }
};

TEST_F(ThoughtLimitEngineTest, TheCacheAndTheBitsAreThoseOfTheModelsOwnWords) {
  Engine engine(*model_, options());
  // A thought that the budget ended: with many a seed it comes to an end by itself.
  testing_support::Reply reply;
  std::vector<TokenId> ids;
  std::vector<TokenId>::iterator close;
  const auto is_cut = [&](std::uint64_t seed) {
    reply = testing_support::ask(engine, thinking(prompt(), 110, seed));
    ids = reply.ids();
    close = std::find(ids.begin(), ids.end(), tag(Tag::channel_close));
    return close != ids.end() &&
           demo_tokenizer().decode({ids.begin(), close}).ends_with(kWords + "\n");
  };
  std::uint64_t seed = 1;
  while (!is_cut(seed)) ASSERT_LT(++seed, 100U);
  // The same text as a prompt: found in the cache, and computed anew.
  std::vector<TokenId> next = prompt();
  next.insert(next.end(), ids.begin(), close + 1);
  const auto cached = testing_support::ask(engine, testing_support::request(next));
  const auto cold =
      testing_support::ask(engine, testing_support::cold(testing_support::request(next)));
  testing_support::expect_same_reply(cached, cold);
  EXPECT_GE(cached.result->stats.cached_tokens, 64);
  // What came first behind the thought was as likely as it is behind a prompt.
  const auto first = static_cast<std::size_t>(close + 1 - ids.begin());
  ASSERT_LT(first, reply.tokens.size());
  EXPECT_EQ(reply.tokens[first].top_logprobs[0].logprob, cold.tokens[0].top_logprobs[0].logprob);
}

TEST_F(ThoughtLimitEngineTest, AnswersDoNotDependOnCompany) {
  Engine engine(*model_, options());
  const auto alone = testing_support::ask(engine, testing_support::cold(thinking(prompt(), 50)));
  std::vector<std::shared_ptr<testing_support::CollectingSink>> sinks;
  for (int i = 0; i < 4; ++i) {
    sinks.push_back(std::make_shared<testing_support::CollectingSink>());
    engine.submit(testing_support::cold(thinking(prompt(), 50)), sinks.back());
  }
  for (const auto& sink : sinks) testing_support::expect_same_reply(sink->wait(), alone);
}

TEST(ThoughtLimit, ACopyGoesOnByItself) {
  std::vector<TokenId> heard;
  const auto ended = std::make_shared<std::optional<EndedThought>>();
  ThoughtLimit limit(demo_tokenizer(), {.budget = 100}, {}, std::make_unique<Listener>(heard),
                     ended);
  limit.accept(tag(Tag::channel_open));
  for (const TokenId token : demo_tokenizer().encode_text("thought\n")) limit.accept(token);
  const auto copy = limit.copy();
  const TokenId word = demo_tokenizer().encode_text("hm").front();
  for (int i = 0; i < 99 && copy->forced_next(1).empty(); ++i) copy->accept(word);
  EXPECT_FALSE(copy->forced_next(1).empty()) << "its budget comes to an end";
  EXPECT_TRUE(*ended);
  EXPECT_TRUE(limit.forced_next(1).empty());
  limit.accept(word);
  EXPECT_TRUE(limit.forced_next(1).empty());
}

}  // namespace
}  // namespace pleiad
