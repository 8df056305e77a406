#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/testing/demo_engine_test.h"

// What tests of passages share: a sink that judges them, and a form that says what comes where.

namespace pleiad::testing_support {

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
    if (const auto only = at_(n_++)) {
      EXPECT_EQ(token, *only);
    }
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
inline std::optional<text::TokenId> some_forced(std::size_t place) {
  return place % 5 < 3 ? std::optional<text::TokenId>() : 300 + static_cast<int>(place);
}

class EnginePassagesTest : public DemoEngineTest<96, 8> {
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

}  // namespace pleiad::testing_support
