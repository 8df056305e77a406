// Passages of replies that are judged: what is told, counted and computed where one is written
// again.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "engine/testing/engine_media_testing.h"
#include "engine/testing/passages_testing.h"

namespace pleiad {
namespace {

using testing_support::ask;
using testing_support::cold;
using testing_support::CollectingSink;
using testing_support::EngineMediaTest;
using testing_support::EnginePassagesTest;
using testing_support::expect_same_reply;
using testing_support::Judge;
using testing_support::MediaBook;
using testing_support::PlaceByPlace;
using testing_support::random_tokens;
using testing_support::Reply;
using testing_support::request;
using testing_support::some_forced;
using testing_support::some_picture;
using testing_support::Tokens;

TEST_F(EnginePassagesTest, ABadOneIsWrittenAgainFromWhereItBegan) {
  Engine engine(*model_, options());
  for (const std::size_t length : {1U, 150U}) {  // within a page, and beyond the window
    for (const bool is_cached : {true, false}) {
      SCOPED_TRACE(length);
      const std::int64_t n_tokens = length > 100 ? 500 : 60;
      const Tokens prompt = random_tokens(50, 1);
      EngineRequest asked = request(prompt, 5, n_tokens);
      asked.use_cache = is_cached;
      const auto judge = std::make_shared<Judge>();
      judge->places = {{4, 4 + length}};
      judge->is_good = [](int, int n_try) { return n_try == 3; };
      const Reply reply = follow(engine, std::move(asked), judge);
      expect_bits_of_one_reply(engine, prompt, reply);
      const std::vector<Tokens>& tries = judge->tries[0];
      ASSERT_EQ(tries.size(), 3U);
      EXPECT_EQ(std::set<Tokens>(tries.begin(), tries.end()).size(), 3U) << "they differ";
      const Tokens plain = ask(engine, cold(request(prompt, 5, n_tokens))).ids();
      EXPECT_TRUE(std::equal(tries[0].begin(), tries[0].end(), plain.begin() + 4));
      EXPECT_EQ(judge->n_taken, 0);
      EXPECT_EQ(std::ssize(reply.tokens), n_tokens);
      EXPECT_EQ(reply.result->stats.generated_tokens, n_tokens);
      EXPECT_EQ(reply.result->stats.dropped_tokens, 2 * static_cast<std::int64_t>(length));
      EXPECT_EQ(judge->all.size(), reply.tokens.size() + 2 * length);
    }
  }
}

TEST_F(EnginePassagesTest, WhereNoTryIsGoodTheFirstOneStays) {
  Engine engine(*model_, options());
  for (const std::size_t length : {1U, 150U}) {
    SCOPED_TRACE(length);
    const Tokens prompt = random_tokens(50, 1);
    const auto judge = std::make_shared<Judge>();
    judge->places = {{4, 4 + length}};
    const Reply reply = follow(engine, request(prompt, 5, 500), judge);
    expect_bits_of_one_reply(engine, prompt, reply);
    const Tokens plain = ask(engine, cold(request(prompt, 5, 500))).ids();
    const Tokens ids = reply.ids();
    ASSERT_EQ(ids.size(), 500U);
    EXPECT_TRUE(
        std::equal(plain.begin(), plain.begin() + 4 + std::ssize(judge->tries[0][0]), ids.begin()));
    EXPECT_EQ(judge->tries[0].size(), 3U);
    EXPECT_EQ(judge->n_taken, 1);
    EXPECT_EQ(reply.result->stats.generated_tokens, 500);
    EXPECT_EQ(reply.result->stats.dropped_tokens, 2 * static_cast<std::int64_t>(length));
  }
}

TEST_F(EnginePassagesTest, LogprobsChangeNothingAndForcedTextIsCountedOnce) {
  Engine engine(*model_, options());
  const Tokens prompt = random_tokens(70, 1);
  for (const int good : {1, 2, 3, 4}) {
    std::vector<Tokens> replies;
    for (const std::optional<int> n_logprobs : {std::optional<int>(2), std::optional<int>()}) {
      for (const double penalty : {1.0, 1.3}) {
        SCOPED_TRACE(testing::Message() << good << " " << n_logprobs.has_value() << " " << penalty);
        const auto asked = [&] {
          EngineRequest made = request(prompt, 7, 60);
          made.constraint = std::make_unique<PlaceByPlace>(some_forced);
          made.generation.sampling.n_logprobs = n_logprobs;
          made.generation.sampling.repeat_penalty = penalty;
          return made;
        };
        const auto judge = std::make_shared<Judge>();
        judge->places = {{5, 20}};  // begins, and ends, with forced text
        judge->is_good = [&](int, int n_try) { return n_try == good; };
        const Reply reply = follow(engine, asked(), judge);
        ASSERT_TRUE(reply.result);
        const GenerationStats& stats = reply.result->stats;
        const GenerationStats plain = ask(engine, asked()).result->stats;
        EXPECT_EQ(stats.generated_tokens, 60);
        EXPECT_EQ(stats.forced_tokens, plain.forced_tokens);
        EXPECT_EQ(stats.saved_steps, plain.saved_steps);
        EXPECT_EQ(stats.dropped_tokens, 15 * std::min(good - 1, 2));
        if (n_logprobs) expect_bits_of_one_reply(engine, prompt, reply);
        replies.push_back(reply.ids());
      }
    }
    EXPECT_EQ(replies[0], replies[2]);
    EXPECT_EQ(replies[1], replies[3]);
  }
}

/// Behind some free tokens one of [300, 300 + n).
class OneOfSome final : public sampling::TokenConstraint {
 public:
  OneOfSome(int n_free, int n) : n_free_(n_free), n_(n) {}
  bool allowed_next(std::span<std::uint64_t> allowed) override {
    if (n_free_ > 0) return false;
    std::ranges::fill(allowed, 0);
    for (int token = 300; token < 300 + n_; ++token) {
      allowed[static_cast<std::size_t>(token) / 64] |= std::uint64_t{1} << (token % 64);
    }
    return true;
  }
  void accept(std::int32_t) override { --n_free_; }
  std::unique_ptr<sampling::TokenConstraint> copy() const override {
    return std::make_unique<OneOfSome>(*this);
  }

 private:
  int n_free_, n_;
};

TEST_F(EnginePassagesTest, PenaltiesForgetWhatIsDropped) {
  Engine engine(*model_, options());
  for (const int good : {2, 3, 4}) {
    EngineRequest asked = request(random_tokens(20, 1), 3, 16);
    // No token comes a second time while there are others.
    asked.generation.sampling.repeat_penalty = 1e6;
    asked.generation.sampling.repeat_last_n = -1;
    for (int token = 300; token < 312; ++token) {
      asked.generation.sampling.logit_bias.emplace_back(token, -100.0F);
    }
    asked.constraint = std::make_unique<OneOfSome>(4, 12);
    const auto judge = std::make_shared<Judge>();
    judge->is_good = [good](int, int n_try) { return n_try == good; };
    Tokens ids = follow(engine, std::move(asked), judge).ids();
    ASSERT_EQ(ids.size(), 16U);
    const std::set<text::TokenId> all(ids.begin() + 4, ids.end());
    EXPECT_EQ(all.size(), 12U) << good;
  }
}

// Where each token waits for its logits they are computed before one of them begins a passage.
TEST_F(EnginePassagesTest, OneMayBeginAmidForcedTextOnTwoPages) {
  Engine engine(*model_, options());
  for (const std::size_t n_prompt : {34U, 35U, 36U, 58U, 59U, 64U}) {
    for (const int good : {1, 3, 4}) {
      SCOPED_TRACE(testing::Message() << n_prompt << " " << good);
      const Tokens prompt = random_tokens(n_prompt, 1);
      EngineRequest asked = request(prompt, 7, 90);
      asked.constraint = std::make_unique<PlaceByPlace>([](std::size_t place) {
        const bool is_free = (place >= 20 && place < 24) || place > 30;
        return is_free ? std::nullopt : std::optional<text::TokenId>(400 + static_cast<int>(place));
      });
      const auto judge = std::make_shared<Judge>();
      judge->places = {{5, 26}, {28, 35}};
      judge->is_good = [good](int, int n_try) { return n_try == good; };
      const Reply reply = follow(engine, std::move(asked), judge);
      EXPECT_EQ(judge->tries[0].size(), static_cast<std::size_t>(std::min(good, 3)));
      EXPECT_EQ(reply.tokens.size(), 90U);
      expect_bits_of_one_reply(engine, prompt, reply);
    }
  }
}

TEST_F(EnginePassagesTest, WhatIsNotLeftToChanceIsWrittenOnce) {
  Engine engine(*model_, options());
  const std::vector<std::function<void(sampling::SamplingOptions&)>> settings = {
      [](auto& sampling) { sampling.temperature = 0; }, [](auto& sampling) { sampling.top_k = 1; },
      [](auto& sampling) { sampling.top_p = 1e-6; }, [](auto& sampling) { sampling.min_p = 1; }};
  for (const auto& set : settings) {
    EngineRequest asked = request(random_tokens(50, 1), 5, 30);
    set(asked.generation.sampling);
    const auto judge = std::make_shared<Judge>();
    const Reply reply = follow(engine, std::move(asked), judge);
    EXPECT_EQ(judge->tries[0].size(), 1U);
    EXPECT_EQ(judge->n_taken, 1) << "and told as it is";
    EXPECT_EQ(reply.tokens.size(), 30U);
    EXPECT_EQ(reply.result->stats.dropped_tokens, 0);
  }
  EngineRequest forced = request(random_tokens(50, 1), 5, 30);
  forced.constraint = std::make_unique<PlaceByPlace>([](std::size_t place) {
    return place >= 4 && place < 12 ? std::optional<text::TokenId>(300) : std::nullopt;
  });
  const auto judge = std::make_shared<Judge>();
  const Reply reply = follow(engine, std::move(forced), judge);
  EXPECT_EQ(judge->tries[0].size(), 1U);
  EXPECT_EQ(reply.tokens.size(), 30U);
}

TEST_F(EnginePassagesTest, LaterPassagesAreTriedLikewise) {
  Engine engine(*model_, options());
  const Tokens prompt = random_tokens(50, 1);
  const auto judge = std::make_shared<Judge>();
  judge->places = {{1, 10}, {14, 80}, {81, 82}, {90, 95}};
  judge->is_good = [](int passage, int n_try) {
    return (passage == 0 && n_try == 2) || (passage == 2 && n_try == 1) ||
           (passage == 3 && n_try == 3);
  };
  const Reply reply = follow(engine, request(prompt, 5, 300), judge);
  expect_bits_of_one_reply(engine, prompt, reply);
  for (const auto& [passage, n] : std::map<int, std::size_t>{{0, 2}, {1, 3}, {2, 1}, {3, 3}}) {
    EXPECT_EQ(judge->tries[passage].size(), n) << passage;
  }
  EXPECT_EQ(judge->n_taken, 1);
  EXPECT_EQ(reply.tokens.size(), 300U);
  EXPECT_EQ(reply.result->stats.dropped_tokens, 9 + 2 * 66 + 2 * 5);
}

TEST_F(EnginePassagesTest, ASeedGivesTheSameTriesAloneAndInCompany) {
  Engine engine(*model_, options());
  const auto asked = [](std::uint32_t who) {
    return request(random_tokens(40 + who, who), who, 60);
  };
  const auto judge_of = [](std::uint32_t who) {
    const auto judge = std::make_shared<Judge>();
    judge->places = {{2 + who, 12 + 5 * who}, {50, 55}};
    judge->is_good = [who](int, int n_try) { return n_try == static_cast<int>(who) % 4; };
    return judge;
  };
  std::vector<std::shared_ptr<Judge>> alone;
  std::vector<Reply> expected;
  for (std::uint32_t who = 0; who < 6; ++who) {
    alone.push_back(judge_of(who));
    expected.push_back(follow(engine, cold(asked(who)), alone.back()));
  }
  std::vector<std::shared_ptr<Judge>> together;
  std::vector<std::shared_ptr<CollectingSink>> others;
  for (std::uint32_t who = 0; who < 6; ++who) {
    together.push_back(judge_of(who));
    engine.submit(judged(asked(who)), together.back());
    others.push_back(std::make_shared<CollectingSink>());
    engine.submit(asked(who), others.back());
  }
  for (std::uint32_t who = 0; who < 6; ++who) {
    SCOPED_TRACE(who);
    expect_same_reply(together[who]->wait(), expected[who]);
    EXPECT_EQ(together[who]->all, alone[who]->all) << "dropped ones too";
    expect_same_reply(others[who]->wait(), ask(engine, cold(asked(who))));
  }
}

TEST_F(EngineMediaTest, APassageBehindAPictureIsWrittenAgain) {
  Engine engine(*model_, options());
  MediaBook book;
  book.text(random_tokens(10, 1)).picture(some_picture(1, 60)).text(random_tokens(20, 2));
  for (const int good : {3, 4}) {
    const auto judge = std::make_shared<Judge>();
    judge->is_good = [good](int, int n_try) { return n_try == good; };
    EngineRequest asked = about(book, 5, 40);
    asked.judges_passages = true;
    const int n_begun = vision_.n_begun;
    engine.submit(std::move(asked), judge);
    const Reply reply = judge->wait();
    ASSERT_EQ(reply.tokens.size(), 40U);
    EXPECT_EQ(judge->tries[0].size(), 3U);
    EXPECT_EQ(vision_.n_begun - n_begun, good == 3 ? 1 : 0) << "it is not encoded again";
    EngineRequest same = cold(about(book, 99, 40));
    same.constraint = std::make_unique<PlaceByPlace>(
        [ids = reply.ids()](std::size_t place) {
          return std::optional(ids[std::min(place, ids.size() - 1)]);
        },
        false);
    expect_same_reply(reply, ask(engine, std::move(same)));
  }
}

}  // namespace
}  // namespace pleiad
