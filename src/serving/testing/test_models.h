#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "base/error.h"
#include "base/testing/paths.h"
#include "base/testing/test_folder.h"
#include "engine/loaded_model.h"
#include "serving/pool/model_runtime.h"
#include "serving/pool/tokenizer_cache.h"

namespace pleiad::serving {

inline const std::filesystem::path kDemoModel =
    std::filesystem::path(source_path()) / "models/demo/pleiad-demo.gguf";

/// Waits for what another thread does; a test that never gets there fails.
inline bool eventually(const std::function<bool()>& condition) {
  for (int tries = 0; tries < 30'000; ++tries) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

/// A clock that a test moves.
class TestClock {
 public:
  double now() const {
    const std::lock_guard guard(mutex_);
    return seconds_;
  }
  void advance(double seconds) {
    const std::lock_guard guard(mutex_);
    seconds_ += seconds;
  }

 private:
  mutable std::mutex mutex_;
  double seconds_ = 1000;
};

/// What test models do, and what was asked of them; outlives them.
struct TestScript {
  std::mutex mutex;
  std::condition_variable changed;

  // To load.
  bool hold_loads = false;  // until it is false again
  std::set<std::string> broken;
  std::map<std::string, MemoryNeed> needs;  // else 100 bytes and 10 to 1000 for the cache
  std::vector<std::string> loads;           // names, in order
  std::vector<std::uint64_t> kv_bytes;      // with which they were loaded
  int alive = 0;

  // To answer.
  std::string reply = "Hi";   // control tokens are spelled
  bool hold_replies = false;  // the first token waits until it is false again
  EngineResult result;        // but for the reason
  std::optional<EngineFailure> failure;
  bool logprobs = false;
  PromptTowers towers;  // of the model
  std::vector<std::vector<text::TokenId>> prompts;
  std::vector<std::vector<PromptMedia>> media;
  std::vector<GenerationOptions> generations;
  std::vector<std::int64_t> context_lengths;
  std::vector<CacheScope> cache_scopes;
  std::vector<CacheDetail> cache_details;
  int cancelled = 0;
  bool usable = true;
  std::int64_t context_length = 4096;

  void set(bool TestScript::*flag, bool value) {
    {
      const std::lock_guard guard(mutex);
      this->*flag = value;
    }
    changed.notify_all();
  }
  template <typename T>
  T get(T TestScript::*field) {
    const std::lock_guard guard(mutex);
    return this->*field;
  }
};

/// The demo model's tokenizer, and replies from a script.
class TestRuntime final : public ModelRuntime {
 public:
  explicit TestRuntime(TestScript& script) : script_(script) {
    const std::lock_guard guard(script_.mutex);
    ++script_.alive;
  }
  ~TestRuntime() override {
    for (std::thread& thread : threads_) thread.join();
    const std::lock_guard guard(script_.mutex);
    --script_.alive;
  }

  static const LoneTokenizer& tokenizer() {
    static const LoneTokenizer lone = load_lone_tokenizer(kDemoModel);
    return lone;
  }

  PromptModel prompt_model() const override {
    PromptModel model = tokenizer().prompt_model();
    model.towers = script_.get(&TestScript::towers);
    return model;
  }
  const sampling::SamplingOptions& sampling_defaults() const override { return defaults_; }
  const sampling::StopTokens& stop_tokens() const override { return stop_tokens_; }
  std::size_t vocab_size() const override { return tokenizer().tokenizer.vocabulary().size(); }
  std::int64_t model_dim() const override { return 4; }
  std::int64_t context_length() const override { return script_.get(&TestScript::context_length); }
  EngineStats stats() const override { return {}; }
  bool is_usable() const override { return script_.get(&TestScript::usable); }
  std::unique_ptr<sampling::TokenConstraint> constraint(
      const AnswerRequest& /*request*/, const text::ReplyOptions& /*reply*/,
      std::vector<std::string>& /*warnings*/) override {
    return nullptr;
  }

  Engine::RequestId submit(EngineRequest request, std::shared_ptr<TokenSink> sink) override {
    const std::lock_guard guard(script_.mutex);
    script_.prompts.push_back(request.prompt);
    script_.media.push_back(request.media);
    script_.generations.push_back(request.generation);
    script_.context_lengths.push_back(request.context_length);
    script_.cache_scopes.push_back(request.cache_scope);
    script_.cache_details.push_back(request.explain_cache);
    threads_.emplace_back([this, sink = std::move(sink)] { play(*sink); });
    return threads_.size();
  }
  void cancel(Engine::RequestId /*id*/) override {
    {
      const std::lock_guard guard(script_.mutex);
      ++script_.cancelled;
    }
    script_.changed.notify_all();
  }
  Engine::RequestId embed(std::vector<text::TokenId> tokens,
                          std::function<void(Engine::Embedding)> done) override {
    const std::lock_guard guard(script_.mutex);
    script_.prompts.push_back(tokens);
    const auto length = static_cast<float>(tokens.size());
    threads_.emplace_back([this, done = std::move(done), length] {
      {
        std::unique_lock lock(script_.mutex);
        script_.changed.wait(lock, [&] { return !script_.hold_replies || script_.cancelled > 0; });
      }
      done({{3 * length, 4 * length, 0, 0}, static_cast<std::int64_t>(length), std::nullopt});
    });
    return threads_.size();
  }
  void compute_logits(std::span<const text::TokenId> tokens, WantLogits want,
                      const TakeLogits& take, const std::function<void()>& between) override {
    const std::size_t n_rows = want == WantLogits::all ? tokens.size() : 1;
    for (std::size_t row = 0; row < n_rows; ++row) take(std::vector<float>(vocab_size()));
    between();
  }

 private:
  void play(TokenSink& sink) {
    std::vector<text::TokenId> tokens;
    EngineResult result;
    {
      std::unique_lock lock(script_.mutex);
      script_.changed.wait(lock, [&] { return !script_.hold_replies || script_.cancelled > 0; });
      if (script_.failure) {
        const EngineFailure failure = *script_.failure;
        lock.unlock();
        return sink.failed(failure);
      }
      tokens = tokenizer().tokenizer.encode_with_control(script_.reply);
      result = script_.result;
      if (script_.cancelled > 0) {
        tokens.clear();
        result.reason = FinishReason::cancelled;
      }
    }
    for (const text::TokenId token : tokens) {
      if (stop_tokens_.contains(token)) break;
      sampling::SampledToken sampled;
      sampled.token = token;
      sampled.logprob = -0.5;
      sampled.top_logprobs = {{token, -0.5}, {106, -1.5}};
      ++result.stats.generated_tokens;
      if (!sink.token(sampled)) {
        result.reason = FinishReason::cancelled;
        break;
      }
    }
    sink.finished(result);
  }

  TestScript& script_;
  sampling::SamplingOptions defaults_;
  sampling::StopTokens stop_tokens_;
  std::vector<std::thread> threads_;
};

class TestLoader final : public RuntimeLoader {
 public:
  explicit TestLoader(TestScript& script) : script_(script) {}

  MemoryNeed need(const store::ModelEntry& entry) override {
    const std::lock_guard guard(script_.mutex);
    const auto found = script_.needs.find(entry.name);
    return found == script_.needs.end() ? MemoryNeed{100, 10, 1000} : found->second;
  }
  std::unique_ptr<ModelRuntime> load(const store::ModelEntry& entry, std::uint64_t kv_bytes,
                                     const LoadProgress& progress) override {
    bool broken = false;
    {
      const std::lock_guard guard(script_.mutex);
      script_.loads.push_back(entry.name);
      script_.kv_bytes.push_back(kv_bytes);
      broken = script_.broken.count(entry.name) > 0;
    }
    // As a real one, which tells how far it is again and again.
    for (bool held = true; held;) {
      progress(40, 100);
      std::unique_lock lock(script_.mutex);
      held = script_.changed.wait_for(lock, std::chrono::milliseconds(1),
                                      [&] { return !script_.hold_loads; }) == false;
    }
    if (broken) throw LoadError("{}: is damaged", entry.name);
    return std::make_unique<TestRuntime>(script_);
  }

 private:
  TestScript& script_;
};

}  // namespace pleiad::serving
