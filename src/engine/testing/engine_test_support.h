#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "engine/engine.h"

namespace pleiad::testing_support {

/// What came of a request.
struct Reply {
  std::vector<sampling::SampledToken> tokens;
  std::optional<EngineResult> result;
  std::optional<EngineFailure> failure;

  std::vector<text::TokenId> ids() const {
    std::vector<text::TokenId> ids;
    for (const auto& token : tokens) ids.push_back(token.token);
    return ids;
  }
};

/// Collects a reply, and lets a test wait for it.
class CollectingSink final : public TokenSink {
 public:
  /// Asked at each token, on the engine's thread: false ends the reply.
  std::function<bool(std::size_t n_tokens)> wants_more = [](std::size_t) { return true; };
  std::function<void(std::int64_t done, std::int64_t total)> on_progress = [](auto, auto) {};

  void prompt_progress(std::int64_t done, std::int64_t total) override { on_progress(done, total); }
  bool token(const sampling::SampledToken& token) override {
    std::size_t n = 0;
    {
      const std::lock_guard lock(mutex_);
      reply_.tokens.push_back(token);
      n = reply_.tokens.size();
    }
    changed_.notify_all();
    return wants_more(n);
  }
  void finished(const EngineResult& result) override {
    end([&] { reply_.result = result; });
  }
  void failed(const EngineFailure& failure) override {
    end([&] { reply_.failure = failure; });
  }

  Reply wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return n_ends_ > 0; });
    return reply_;
  }
  void wait_for_tokens(std::size_t n) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return reply_.tokens.size() >= n || n_ends_ > 0; });
  }
  std::size_t n_tokens() {
    const std::lock_guard lock(mutex_);
    return reply_.tokens.size();
  }
  int n_ends() {
    const std::lock_guard lock(mutex_);
    return n_ends_;
  }

 private:
  void end(const std::function<void()>& set) {
    {
      const std::lock_guard lock(mutex_);
      set();
      ++n_ends_;
    }
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  Reply reply_;
  int n_ends_ = 0;
};

/// Tokens that mean nothing.
inline std::vector<text::TokenId> random_tokens(std::size_t n, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<text::TokenId> any(200, 2000);
  std::vector<text::TokenId> tokens(n);
  for (text::TokenId& token : tokens) token = any(random);
  return tokens;
}

/// Sampled with a high temperature and its logprobs, and ended by nothing but its length.
inline EngineRequest request(std::vector<text::TokenId> prompt, std::uint64_t seed = 1,
                             std::int64_t max_tokens = 12) {
  EngineRequest request;
  request.prompt = std::move(prompt);
  request.generation.sampling.temperature = 2.5;
  request.generation.sampling.top_k = 0;
  request.generation.sampling.top_p = 1.0;
  request.generation.sampling.seed = seed;
  request.generation.sampling.n_logprobs = 2;
  request.generation.max_tokens = max_tokens;
  request.generation.stop_tokens = sampling::StopTokens(std::vector<std::int32_t>{});
  return request;
}

/// The same, of which nothing is cached, before or after.
inline EngineRequest cold(EngineRequest request) {
  request.use_cache = false;
  return request;
}

inline Reply ask(Engine& engine, EngineRequest request) {
  const auto sink = std::make_shared<CollectingSink>();
  engine.submit(std::move(request), sink);
  return sink->wait();
}

inline void expect_same_reply(const Reply& a, const Reply& b) {
  ASSERT_TRUE(a.result && b.result)
      << (a.failure ? a.failure->message : "") << (b.failure ? b.failure->message : "");
  EXPECT_EQ(a.result->reason, b.result->reason);
  ASSERT_EQ(a.ids(), b.ids());
  for (std::size_t i = 0; i < a.tokens.size(); ++i) {
    EXPECT_EQ(a.tokens[i].logprob, b.tokens[i].logprob) << "token " << i;
    ASSERT_EQ(a.tokens[i].top_logprobs.size(), b.tokens[i].top_logprobs.size());
    for (std::size_t top = 0; top < a.tokens[i].top_logprobs.size(); ++top) {
      EXPECT_EQ(a.tokens[i].top_logprobs[top].logprob, b.tokens[i].top_logprobs[top].logprob);
    }
  }
}

}  // namespace pleiad::testing_support
