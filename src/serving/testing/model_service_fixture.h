#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "serving/model_service.h"
#include "serving/testing/test_answers.h"
#include "serving/testing/test_models.h"

namespace pleiad::serving {

struct CountingObserver final : ServingObserver {
  void first_token(const std::string& /*model*/, double /*seconds*/) override { ++n_first; }
  void token_gap(const std::string& /*model*/, double /*seconds*/) override { ++n_gaps; }
  void finished(const Finished& answer) override {
    const std::lock_guard guard(mutex);
    outcomes.push_back(answer.outcome);
    last = answer;
  }
  void load_finished(const std::string& /*model*/, double /*seconds*/,
                     const std::string& error) override {
    n_loaded += error.empty() ? 1 : 0;
    const std::lock_guard guard(mutex);
    if (!error.empty()) load_errors.push_back(error);
  }

  std::atomic<int> n_first = 0, n_gaps = 0, n_loaded = 0;
  std::mutex mutex;
  std::vector<std::string> outcomes;
  Finished last;
  std::vector<std::string> load_errors;
};

/// The service on models that say what a script tells them.
class ModelServiceTest : public ::testing::Test {
 protected:
  ModelServiceTest() {
    entry_.name = "m:latest";
    entry_.path = kDemoModel;
  }
  ~ModelServiceTest() override {
    script_.set(&TestScript::hold_loads, false);
    script_.set(&TestScript::hold_replies, false);
  }
  ModelService& service() {
    if (service_) return *service_;
    options_.pool.memory_bytes = 10'000;
    options_.version = "0.1.0";
    ModelService::Parts parts;
    parts.find = [this](const std::string& name) -> Result<store::ModelEntry> {
      if (on_find_) on_find_();
      if (name != "m") return Failure{"model '" + name + "' not found"};
      return entry_;
    };
    parts.loader = std::make_unique<TestLoader>(script_);
    parts.load_tokenizer = load_lone_tokenizer;
    parts.observer = &observer_;
    service_ = std::make_unique<ModelService>(options_, std::move(parts));
    return *service_;
  }
  std::shared_ptr<CollectingObserver> ask(AnswerRequest request) {
    auto observer = std::make_shared<CollectingObserver>();
    ticket_ = service().answer(std::move(request), observer);
    return observer;
  }
  std::shared_ptr<CollectingObserver> ask(const std::string& text) {
    return ask(chat_request("m", text));
  }
  std::function<void()> on_find_;
  std::string last_prompt() {
    const std::lock_guard guard(script_.mutex);
    return TestRuntime::tokenizer().tokenizer.decode_with_control(script_.prompts.back());
  }

  store::ModelEntry entry_;
  TestScript script_;
  CountingObserver observer_;
  ModelServiceOptions options_;
  std::shared_ptr<Ticket> ticket_;
  std::unique_ptr<ModelService> service_;
};

}  // namespace pleiad::serving
