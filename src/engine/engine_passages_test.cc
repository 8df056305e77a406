// Passages of replies that are judged: what is told, counted, computed and kept where one is
// written again.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "engine/testing/demo_engine_test.h"
#include "engine/testing/engine_media_testing.h"

namespace pleiad {
namespace {

using testing_support::ask;
using testing_support::cold;
using testing_support::CollectingSink;
using testing_support::EngineMediaTest;
using testing_support::expect_same_reply;
using testing_support::MediaBook;
using testing_support::random_tokens;
using testing_support::Reply;
using testing_support::request;
using testing_support::some_picture;
using Tokens = std::vector<text::TokenId>;

/// Judges passages by their number and that of the try, and keeps what counts of the reply.
class Judge final : public TokenSink {
 public:
  struct Place {
    std::size_t begin, end;  // tokens of the reply that were told when it begins, and ends
  };
  std::vector<Place> places = {{4, 10}};
  std::function<bool(int passage, int n_try)> is_good = [](int, int) { return false; };
  /// Told of each token, that of dropped tries too; false ends the reply.
  std::function<bool(int n_try, std::size_t n_told)> wants_more = [](int, std::size_t) {
    return true;
  };

  bool token(const sampling::SampledToken& token) override {
    all.push_back(token.token);
    kept.push_back(token);
    return wants_more(n_try_, all.size());
  }
  Passage passage() override {
    if (passage_ == places.size()) return Passage::none;
    const Place& place = places[passage_];
    if (kept.size() == place.begin) return Passage::begins;
    if (kept.size() < place.end) return Passage::none;
    tries[static_cast<int>(passage_)].push_back(ids_from(place.begin));
    if (!is_good(static_cast<int>(passage_), n_try_)) {
      if (first_.empty()) first_ = kept;
      return Passage::bad;
    }
    next_passage();
    return Passage::good;
  }
  void write_again() override {
    kept.resize(places[passage_].begin);
    ++n_try_;
  }
  bool take_first() override {
    EXPECT_FALSE(first_.empty());
    kept = first_;
    ++n_taken;
    next_passage();
    return !ends_with_first;
  }
  void finished(const EngineResult& result) override {
    reply_.result = result;
    ended_.set_value();
  }
  void failed(const EngineFailure& failure) override {
    reply_.failure = failure;
    ended_.set_value();
  }

  Reply wait() {
    ended_.get_future().wait();
    reply_.tokens = kept;
    return reply_;
  }

  bool ends_with_first = false;
  int n_taken = 0;
  Tokens all;
  std::vector<sampling::SampledToken> kept;
  std::map<int, std::vector<Tokens>> tries;  // by passage: what stood behind its begin

 private:
  void next_passage() {
    ++passage_;
    n_try_ = 1;
    first_.clear();
  }
  Tokens ids_from(std::size_t begin) const {
    Tokens ids;
    for (std::size_t i = begin; i < kept.size(); ++i) ids.push_back(kept[i].token);
    return ids;
  }

  std::size_t passage_ = 0;
  int n_try_ = 1;
  std::vector<sampling::SampledToken> first_;
  Reply reply_;
  std::promise<void> ended_;
};

/// At each place what `at` says: one token, which is forced, or any.
class PlaceByPlace final : public sampling::TokenConstraint {
 public:
  using At = std::function<std::optional<text::TokenId>(std::size_t place)>;
  explicit PlaceByPlace(At at, bool forces = true) : at_(std::move(at)), forces_(forces) {}

  bool allowed_next(std::span<std::uint64_t> allowed) override {
    const auto only = at_(n_);
    if (!only) return false;
    std::ranges::fill(allowed, 0);
    const auto token = static_cast<std::size_t>(*only);
    allowed[token / 64] |= std::uint64_t{1} << (token % 64);
    return true;
  }
  std::vector<std::int32_t> forced_next(std::size_t most) override {
    std::vector<std::int32_t> out;
    for (std::size_t i = n_; forces_ && at_(i) && out.size() < most; ++i) out.push_back(*at_(i));
    return out;
  }
  void accept(std::int32_t token) override {
    if (const auto only = at_(n_++)) EXPECT_EQ(token, *only);
  }
  std::unique_ptr<sampling::TokenConstraint> copy() const override {
    return std::make_unique<PlaceByPlace>(*this);
  }

 private:
  At at_;
  bool forces_;
  std::size_t n_ = 0;
};

/// Three free, two forced, and so on.
std::optional<text::TokenId> some_forced(std::size_t place) {
  return place % 5 < 3 ? std::optional<text::TokenId>() : 300 + static_cast<int>(place);
}

class EnginePassagesTest : public testing_support::DemoEngineTest<96, 8> {
 protected:
  static EngineOptions options(std::uint64_t kv_bytes = std::uint64_t{256} << 20) {
    EngineOptions options = DemoEngineTest::options(kv_bytes);
    options.max_running = 6;
    return options;
  }
  static EngineRequest judged(EngineRequest asked) {
    asked.judges_passages = true;
    return asked;
  }
  static Reply follow(Engine& engine, EngineRequest asked, const std::shared_ptr<Judge>& judge) {
    engine.submit(judged(std::move(asked)), judge);
    return judge->wait();
  }
  /// Its log probabilities are those of a reply that had nothing but these tokens.
  static void expect_bits_of_one_reply(Engine& engine, const Tokens& prompt, const Reply& reply) {
    ASSERT_TRUE(reply.result);
    EXPECT_FALSE(reply.result->failed_try);
    const Tokens ids = reply.ids();
    EngineRequest same = cold(request(prompt, 99, std::ssize(ids)));
    same.constraint = std::make_unique<PlaceByPlace>(
        [ids](std::size_t place) { return std::optional(ids[std::min(place, ids.size() - 1)]); },
        false);
    Reply expected = ask(engine, std::move(same));
    ASSERT_TRUE(expected.result);
    expected.result->reason = reply.result->reason;
    expect_same_reply(reply, expected);
  }
};

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

TEST_F(EnginePassagesTest, TriesEndWhereMaxTokensOrTheContextDo) {
  Engine engine(*model_, options());
  const Tokens prompt = random_tokens(50, 1);
  {
    SCOPED_TRACE("all tokens together come to max_tokens amid the second try");
    const auto judge = std::make_shared<Judge>();
    const Reply reply = follow(engine, request(prompt, 5, 14), judge);
    EXPECT_EQ(judge->tries[0].size(), 1U);
    EXPECT_EQ(judge->n_taken, 1);
    EXPECT_EQ(reply.tokens.size(), 14U) << "the reply goes on behind the first one";
    EXPECT_EQ(reply.result->reason, FinishReason::length);
    EXPECT_EQ(reply.result->stats.dropped_tokens, 4);
    expect_bits_of_one_reply(engine, prompt, reply);
  }
  {
    SCOPED_TRACE("forced text does not go beyond it either");
    EngineRequest asked = request(prompt, 5, 14);
    asked.constraint = std::make_unique<PlaceByPlace>(some_forced);
    const auto judge = std::make_shared<Judge>();
    const Reply reply = follow(engine, std::move(asked), judge);
    EXPECT_EQ(reply.result->stats.dropped_tokens, 4);
    EXPECT_EQ(reply.tokens.size(), 14U);
  }
  {
    SCOPED_TRACE("no token is left for a second try");
    const auto judge = std::make_shared<Judge>();
    const Reply reply = follow(engine, request(prompt, 5, 10), judge);
    EXPECT_EQ(judge->all.size(), 10U);
    EXPECT_EQ(reply.tokens.size(), 10U);
    EXPECT_EQ(reply.result->reason, FinishReason::length);
  }
  {
    SCOPED_TRACE("the first one comes to no end");
    const auto judge = std::make_shared<Judge>();
    const Reply reply = follow(engine, request(prompt, 5, 9), judge);
    EXPECT_EQ(reply.tokens.size(), 9U);
    EXPECT_EQ(judge->n_taken, 0);
  }
  {
    SCOPED_TRACE("a try that would end behind the context");
    EngineRequest asked = request(prompt, 5, -1);
    asked.context_length = 62;
    const auto judge = std::make_shared<Judge>();
    int n_second = 0;
    judge->places = {{4, 11}};
    judge->wants_more = [&](int n_try, std::size_t) { return n_second += n_try == 2, true; };
    const Reply reply = follow(engine, std::move(asked), judge);
    EXPECT_EQ(n_second, 7);
    EXPECT_EQ(reply.tokens.size(), 12U);
    EXPECT_EQ(reply.result->reason, FinishReason::context_full);
  }
}

TEST_F(EnginePassagesTest, APassageThatIsTooLongIsWrittenOnce) {
  Engine engine(*model_, options());
  for (const std::size_t length : {1023U, 1024U}) {
    const auto judge = std::make_shared<Judge>();
    judge->places = {{4, 4 + length}};
    judge->ends_with_first = true;
    EngineRequest asked = cold(request(random_tokens(50, 1), 5, -1));
    asked.generation.sampling.n_logprobs.reset();
    const Reply reply = follow(engine, std::move(asked), judge);
    EXPECT_EQ(judge->tries[0].size(), length < 1024 ? 3U : 1U) << length;
    EXPECT_EQ(judge->n_taken, 1);
    EXPECT_EQ(reply.tokens.size(), 4 + length);
  }
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

TEST_F(EnginePassagesTest, AReplyMayEndWithTheFirstOne) {
  Engine engine(*model_, options());
  const auto judge = std::make_shared<Judge>();
  judge->ends_with_first = true;
  const Reply reply = follow(engine, request(random_tokens(50, 1), 5, 100), judge);
  EXPECT_EQ(reply.result->reason, FinishReason::cancelled);
  EXPECT_EQ(reply.result->stats.generated_tokens, 10);
  EXPECT_EQ(reply.result->stats.dropped_tokens, 12);
  EXPECT_EQ(reply.tokens.size(), 10U);
}

TEST_F(EnginePassagesTest, OneThatIsCancelledAmidATryHasTheFirst) {
  Engine engine(*model_, options());
  for (const bool by_sink : {true, false}) {
    SCOPED_TRACE(by_sink);
    const auto judge = std::make_shared<Judge>();
    std::promise<Engine::RequestId> id;
    auto known = id.get_future().share();
    judge->wants_more = [&](int n_try, std::size_t n_told) {
      if (n_try < 2 || n_told < 13) return true;
      if (!by_sink && n_told == 13) engine.cancel(known.get());
      return !by_sink;
    };
    judge->places = {{4, 10}};
    if (!by_sink) judge->is_good = [](int, int n_try) { return n_try > 100; };
    id.set_value(engine.submit(judged(request(random_tokens(50, 1), 5, 100'000)), judge));
    const Reply reply = judge->wait();
    ASSERT_TRUE(reply.result);
    EXPECT_EQ(reply.result->reason, FinishReason::cancelled);
    EXPECT_EQ(reply.tokens.size(), 10U);
    EXPECT_EQ(reply.result->stats.generated_tokens, 10);
    EXPECT_EQ(reply.result->stats.dropped_tokens, 3);
    EXPECT_EQ(judge->n_taken, 1);
  }
}

/// Throws at a place that it comes to a second time: in a later try.
template <typename Thrown>
class ThrowsAmidATry final : public sampling::TokenConstraint {
 public:
  explicit ThrowsAmidATry(int& n_there) : n_there_(n_there) {}
  bool allowed_next(std::span<std::uint64_t>) override {
    if (n_ == 7 && ++n_there_ == 2) throw Thrown("no token may come");
    return false;
  }
  void accept(std::int32_t) override { ++n_; }
  std::unique_ptr<sampling::TokenConstraint> copy() const override {
    return std::make_unique<ThrowsAmidATry>(*this);
  }

 private:
  int& n_there_;
  int n_ = 0;
};

TEST_F(EnginePassagesTest, ATryThatFailsLeavesTheFirst) {
  Engine engine(*model_, options());
  const Tokens prompt = random_tokens(50, 1);
  int n_there = 0;
  {
    SCOPED_TRACE("its form has too many ways: the reply goes on");
    EngineRequest asked = request(prompt, 5, 30);
    asked.constraint = std::make_unique<ThrowsAmidATry<sampling::ConstraintError>>(n_there);
    const auto judge = std::make_shared<Judge>();
    const Reply reply = follow(engine, std::move(asked), judge);
    expect_bits_of_one_reply(engine, prompt, reply);
    EXPECT_EQ(judge->tries[0].size(), 1U);
    EXPECT_EQ(reply.result->reason, FinishReason::length);
    EXPECT_EQ(reply.tokens.size(), 30U);
    EXPECT_EQ(reply.result->stats.dropped_tokens, 3);
    EXPECT_FALSE(reply.result->failed_try);
  }
  {
    SCOPED_TRACE("nothing can go on: the reply ends with what it has");
    n_there = 0;
    EngineRequest asked = request(prompt, 5, 30);
    asked.constraint = std::make_unique<ThrowsAmidATry<Error>>(n_there);
    const auto judge = std::make_shared<Judge>();
    const Reply reply = follow(engine, std::move(asked), judge);
    ASSERT_TRUE(reply.result);
    ASSERT_TRUE(reply.result->failed_try);
    EXPECT_EQ(reply.result->failed_try->message, "no token may come");
    EXPECT_EQ(judge->n_taken, 1);
    EXPECT_EQ(reply.tokens.size(), 10U);
    EXPECT_EQ(reply.result->stats.generated_tokens, 10);
    EXPECT_EQ(reply.result->stats.dropped_tokens, 3);
  }
}

TEST_F(EnginePassagesTest, ADeadlineAmidATryLeavesTheFirst) {
  Engine engine(*model_, options());
  Reply reply;
  // As much time as this machine needs to come to the second try, which then waits for the
  // deadline.
  for (double seconds = 0.2; !reply.result; seconds *= 4) {
    EngineRequest asked = request(random_tokens(50, 1), 5, -1);
    asked.deadline = monotonic_seconds() + seconds;
    const auto judge = std::make_shared<Judge>();
    const double deadline = asked.deadline;
    judge->wants_more = [deadline](int n_try, std::size_t) {
      while (n_try == 2 && monotonic_seconds() < deadline) std::this_thread::yield();
      return true;
    };
    reply = follow(engine, std::move(asked), judge);
    ASSERT_LT(seconds, 1000);
  }
  ASSERT_TRUE(reply.result->failed_try);
  EXPECT_EQ(reply.result->failed_try->kind, EngineFailure::Kind::deadline);
  EXPECT_EQ(reply.tokens.size(), 10U);
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

TEST_F(EnginePassagesTest, TheNextTurnFindsTheReply) {
  ASSERT_TRUE(model_->model().has_one_arithmetic());
  Engine engine(*model_, options());
  std::uint32_t seed = 0;
  for (const std::size_t length : {6U, 150U}) {
    for (const int good : {1, 2, 4}) {
      SCOPED_TRACE(testing::Message() << length << " " << good);
      const Tokens prompt = random_tokens(60, ++seed);
      const auto judge = std::make_shared<Judge>();
      judge->places = {{4, 4 + length}};
      judge->is_good = [good](int, int n_try) { return n_try == good; };
      Tokens next = prompt;
      const Tokens ids = follow(engine, request(prompt, seed, 480), judge).ids();
      next.insert(next.end(), ids.begin(), ids.end());
      next.push_back(500);
      const Reply warm = ask(engine, request(next, 77));
      expect_same_reply(warm, ask(engine, cold(request(next, 77))));
      EXPECT_EQ(warm.result->stats.cached_tokens, 60 + 479);
    }
  }
}

TEST_F(EnginePassagesTest, OfAReplyThatEndsAmidATryThePartBeforeIsFound) {
  Engine engine(*model_, options());
  const Tokens prompt = random_tokens(60, 1);
  const auto judge = std::make_shared<Judge>();
  judge->places = {{20, 120}};
  judge->wants_more = [](int n_try, std::size_t n_told) { return n_try == 1 || n_told < 180; };
  Tokens next = prompt;
  const Tokens ids = follow(engine, request(prompt, 5, 700), judge).ids();
  ASSERT_EQ(ids.size(), 120U);
  next.insert(next.end(), ids.begin(), ids.end());
  next.push_back(500);
  const Reply warm = ask(engine, request(next, 77));
  expect_same_reply(warm, ask(engine, cold(request(next, 77))));
  EXPECT_EQ(warm.result->stats.cached_tokens, 60 + 19);
}

TEST_F(EnginePassagesTest, WithoutMemoryToGoBackThereIsOneTry) {
  const auto asked = [](std::uint32_t who) {
    EngineRequest made = request(random_tokens(100, who), who, 450);
    made.generation.sampling.n_logprobs.reset();
    return made;
  };
  std::uint64_t cached = 0;
  {
    Engine engine(*model_, options());
    ask(engine, asked(1));
    cached = engine.stats().kv_bytes_cached;
  }
  // Whatever there is room for, none fails, and all have their tokens.
  std::set<std::size_t> n_tries;
  for (const std::uint64_t tenths : {9U, 12U, 30U}) {
    EngineOptions small = options(cached * tenths / 10);
    std::uint64_t most = 0;
    Engine* running = nullptr;
    small.on_step = [&](const StepRecord&) {
      const EngineStats stats = running->stats();
      most = std::max(most, stats.kv_bytes_running + stats.kv_bytes_cached);
    };
    Engine engine(*model_, small);
    running = &engine;
    std::vector<std::shared_ptr<Judge>> judges;
    for (std::uint32_t who = 0; who < 2; ++who) {
      judges.push_back(std::make_shared<Judge>());
      judges.back()->places = {{4, 140}};
      engine.submit(judged(asked(who)), judges.back());
    }
    for (const auto& judge : judges) {
      const Reply reply = judge->wait();
      ASSERT_TRUE(reply.result) << tenths << " " << reply.failure->message;
      EXPECT_EQ(reply.tokens.size(), 450U);
      n_tries.insert(judge->tries[0].size());
    }
    EXPECT_LE(most, small.kv_bytes);
  }
  EXPECT_THAT(n_tries, testing::ElementsAre(1, 3));
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
