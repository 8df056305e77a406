#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "serving/media/prepare_media.h"
#include "serving/model_service.h"
#include "serving/testing/test_answers.h"
#include "serving/testing/test_media.h"

namespace pleiad::serving {

/// Keeps why answers failed.
class FailureLog final : public ServingObserver {
 public:
  void finished(const Finished& answer) override {
    const std::lock_guard guard(mutex_);
    errors_.push_back(answer.error);
  }
  std::vector<std::string> errors() {
    const std::lock_guard guard(mutex_);
    return errors_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> errors_;
};

/// A service of one model that has towers, and reads what test_media.h says.
class MediaFixture : public ::testing::Test {
 protected:
  MediaFixture() {
    script_.towers = test_towers();
    tools_.prepare_picture = pictures_.prepare();
    tools_.prepare_sound = test_sound;
    tools_.prepare_video = test_video;
    tools_.read_document = test_document;
  }
  ~MediaFixture() override { script_.set(&TestScript::hold_replies, false); }

  ModelService& service() {
    if (service_) return *service_;
    options_.pool.memory_bytes = 10'000;
    ModelService::Parts parts;
    parts.find = [this](const std::string& /*name*/) -> Result<store::ModelEntry> {
      store::ModelEntry entry;
      entry.name = "m:latest";
      entry.path = kDemoModel;
      entry.details = details_;
      return entry;
    };
    parts.loader = std::make_unique<TestLoader>(script_);
    parts.load_tokenizer = [this](const std::filesystem::path& path,
                                  const std::filesystem::path& projector) {
      LoneTokenizer lone = load_lone_tokenizer(path, projector);
      lone.towers = script_.get(&TestScript::towers);
      return lone;
    };
    parts.media = tools_;
    parts.observer = &logged_;
    service_ = std::make_unique<ModelService>(options_, std::move(parts));
    return *service_;
  }
  std::shared_ptr<CollectingObserver> ask(AnswerRequest request) {
    auto observer = std::make_shared<CollectingObserver>();
    ticket_ = service().answer(std::move(request), observer);
    return observer;
  }
  ServiceError refusal(AnswerRequest request) { return ask(std::move(request))->error(); }

  PromptModel model() {
    PromptModel model = TestRuntime::tokenizer().prompt_model();
    model.towers = script_.towers;
    return model;
  }

  TestScript script_;
  std::optional<store::ModelDetails> details_;  // empty: not known before it is loaded
  ModelServiceOptions options_;
  FailureLog logged_;
  TestPictures pictures_;
  TestFetcher fetcher_;
  MediaTools tools_;
  std::shared_ptr<Ticket> ticket_;
  std::unique_ptr<ModelService> service_;
};

}  // namespace pleiad::serving
