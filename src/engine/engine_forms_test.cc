// Replies with a form beside others: what takes long to work out holds up its own reply alone.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>

#include "base/clock.h"
#include "engine/testing/demo_engine_test.h"

namespace pleiad {
namespace {

using testing_support::ask;
using testing_support::CollectingSink;
using testing_support::expect_same_reply;
using testing_support::random_tokens;
using testing_support::Reply;
using testing_support::request;
using Kind = EngineFailure::Kind;

constexpr std::int64_t kTokens = 12;

/// Allows even tokens, and says so when it is let.
class EvenTokens final : public sampling::TokenConstraint {
 public:
  struct Gate {
    std::atomic<int> n_prepared = 0;
    std::promise<void> stuck;  // at the place `at`
    std::promise<void> open;
    std::shared_future<void> opened = open.get_future().share();
    std::atomic<int> n_computed_late = 0;  // by whoever asked
    int at = -1;
    bool fails = false;
    std::vector<std::int32_t> forced = {};  // what the reply begins with
  };
  explicit EvenTokens(std::shared_ptr<Gate> gate) : gate_(std::move(gate)) {}

  void prepare() override {
    if (is_prepared_) return;
    ++gate_->n_prepared;
    if (place_ == gate_->at) {
      gate_->stuck.set_value();
      gate_->opened.wait();
      if (gate_->fails) throw sampling::ConstraintError("too much to find out");
    }
    is_prepared_ = true;
  }
  bool allowed_next(std::span<std::uint64_t> allowed) override {
    if (!is_prepared_) ++gate_->n_computed_late;
    std::ranges::fill(allowed, 0x5555'5555'5555'5555U);
    return true;
  }
  std::vector<std::int32_t> forced_next(std::size_t most) override {
    std::vector<std::int32_t> left;
    const auto place = static_cast<std::size_t>(place_);
    for (std::size_t i = place; i < gate_->forced.size() && left.size() < most; ++i) {
      left.push_back(gate_->forced[i]);
    }
    return left;
  }
  void accept(std::int32_t token) override {
    EXPECT_EQ(token % 2, 0);
    ++place_;
    is_prepared_ = false;
  }
  std::unique_ptr<sampling::TokenConstraint> copy() const override {
    return std::make_unique<EvenTokens>(*this);
  }

 private:
  std::shared_ptr<Gate> gate_;
  int place_ = 0;
  bool is_prepared_ = false;
};

using Gate = EvenTokens::Gate;

EngineRequest even_request(const std::shared_ptr<Gate>& gate, bool logprobs = false) {
  EngineRequest made = request(random_tokens(50, 2), 1, kTokens);
  made.constraint = std::make_unique<EvenTokens>(gate);
  if (logprobs) made.generation.sampling.n_logprobs = 2;
  return made;
}

using EngineFormsTest = testing_support::DemoEngineTest<96, 32>;

// Wherever it is stuck: at its first token, amid the reply, behind forced text, told one by one
// too.
TEST_F(EngineFormsTest, WhatTakesLongHoldsUpItsOwnReplyAlone) {
  Engine engine(*model_, options());
  const std::vector<std::int32_t> kForced = {300, 302, 304};
  for (const auto& forced : {std::vector<std::int32_t>{}, kForced}) {
    for (const bool logprobs : {false, true}) {
      const auto free = std::make_shared<Gate>();
      free->forced = forced;
      const Reply expected = ask(engine, even_request(free, logprobs));
      ASSERT_EQ(expected.tokens.size(), static_cast<std::size_t>(kTokens));
      const Reply of_others = ask(engine, request(random_tokens(50, 1), 1, 40));
      for (const int at : {static_cast<int>(forced.size()), 7}) {
        SCOPED_TRACE(fmt::format("{} forced, stuck at {}, {}", forced.size(), at, logprobs));
        const auto gate = std::make_shared<Gate>();
        gate->at = at;
        gate->forced = forced;
        const auto held = std::make_shared<CollectingSink>();
        engine.submit(even_request(gate, logprobs), held);
        gate->stuck.get_future().wait();
        // While it is stuck others come, and end.
        expect_same_reply(ask(engine, request(random_tokens(50, 1), 1, 40)), of_others);
        const auto with_form = std::make_shared<Gate>();
        with_form->forced = forced;
        expect_same_reply(ask(engine, even_request(with_form, logprobs)), expected);
        EXPECT_EQ(held->n_tokens(), static_cast<std::size_t>(at));
        EXPECT_EQ(held->n_ends(), 0);
        gate->open.set_value();
        expect_same_reply(held->wait(), expected);
        EXPECT_EQ(gate->n_computed_late, 0) << "the engine's thread works nothing out";
      }
    }
  }
}

TEST_F(EngineFormsTest, OneThatIsHeldCanBeCancelled) {
  Engine engine(*model_, options());
  const auto gate = std::make_shared<Gate>();
  gate->at = 3;
  const auto held = std::make_shared<CollectingSink>();
  const Engine::RequestId id = engine.submit(even_request(gate), held);
  gate->stuck.get_future().wait();
  engine.cancel(id);
  const Reply reply = held->wait();
  ASSERT_TRUE(reply.result);
  EXPECT_EQ(reply.result->reason, FinishReason::cancelled);
  EXPECT_EQ(reply.tokens.size(), 3U);
  EXPECT_EQ(ask(engine, request(random_tokens(50, 1), 1, 5)).tokens.size(), 5U);
  gate->open.set_value();
}

TEST_F(EngineFormsTest, OneThatIsHeldHasItsDeadline) {
  Engine engine(*model_, options());
  const auto gate = std::make_shared<Gate>();
  gate->at = 0;
  EngineRequest asked = even_request(gate);
  asked.deadline = monotonic_seconds() + 0.05;
  const auto held = std::make_shared<CollectingSink>();
  engine.submit(std::move(asked), held);
  const Reply reply = held->wait();
  ASSERT_TRUE(reply.failure);
  EXPECT_EQ(reply.failure->kind, Kind::deadline);
  gate->open.set_value();
}

TEST_F(EngineFormsTest, WhatCannotBeWorkedOutIsTriedOnce) {
  Engine engine(*model_, options());
  const auto gate = std::make_shared<Gate>();
  gate->at = 2;
  gate->fails = true;
  gate->open.set_value();
  const Reply reply = ask(engine, even_request(gate));
  ASSERT_TRUE(reply.failure);
  EXPECT_EQ(reply.failure->kind, Kind::form);
  EXPECT_EQ(reply.failure->message, "too much to find out");
  EXPECT_EQ(reply.tokens.size(), 2U);
  EXPECT_EQ(gate->n_prepared, 3);
  EXPECT_EQ(gate->n_computed_late, 0);
}

TEST_F(EngineFormsTest, TheEndWaitsForWhatIsInWork) {
  const auto gate = std::make_shared<Gate>();
  gate->at = 1;
  const auto held = std::make_shared<CollectingSink>();
  std::thread opener;
  {
    Engine engine(*model_, options());
    engine.submit(even_request(gate), held);
    gate->stuck.get_future().wait();
    opener = std::thread([&] {
      held->wait();
      gate->open.set_value();
    });
  }
  opener.join();
  EXPECT_EQ(held->wait().failure->kind, Kind::shutting_down);
}

}  // namespace
}  // namespace pleiad
