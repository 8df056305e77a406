#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "serving/service.h"

namespace pleiad::serving {

/// Keeps what an answer brings.
class CollectingObserver final : public AnswerObserver {
 public:
  void delta(AnswerDelta delta) override {
    const std::lock_guard guard(mutex_);
    deltas_.push_back(std::move(delta));
  }
  void document(DocumentText document) override {
    const std::lock_guard guard(mutex_);
    documents_.push_back(std::move(document));
  }
  void prompted() override {
    const std::lock_guard guard(mutex_);
    prompted_.push_back({documents_.size(), deltas_.size()});
  }
  void scored(PromptScores scores) override {
    const std::lock_guard guard(mutex_);
    ++n_scored_;
    if (!scores_) {
      EXPECT_TRUE(scores.begins);
      scores_ = std::move(scores);
      return;
    }
    EXPECT_FALSE(scores.begins);
    EXPECT_FALSE(scores_->end);
    EXPECT_TRUE(scores.text.empty());
    for (AnswerLogprob& token : scores.tokens) scores_->tokens.push_back(std::move(token));
    scores_->end = std::move(scores.end);
  }
  void done(const AnswerResult& result) override { end(result); }
  void failed(const ServiceError& error) override { end(error); }

  std::vector<DocumentText> documents() {
    const std::lock_guard guard(mutex_);
    return documents_;
  }
  /// All that came, together.
  std::optional<PromptScores> scores() {
    const std::lock_guard guard(mutex_);
    return scores_;
  }
  std::size_t n_scored() {
    const std::lock_guard guard(mutex_);
    return n_scored_;
  }
  struct Before {
    std::size_t n_documents, n_deltas;
    bool operator==(const Before&) const = default;
  };
  /// What had come when the prompt was made; once for each time that was told.
  std::vector<Before> prompted_after() {
    const std::lock_guard guard(mutex_);
    return prompted_;
  }
  /// Waits for the end.
  const AnswerResult& result() {
    wait();
    if (!result_) throw std::runtime_error("failed: " + error_->message);
    return *result_;
  }
  const ServiceError& error() {
    wait();
    if (!error_) throw std::runtime_error("was answered");
    return *error_;
  }
  bool ended() {
    const std::lock_guard guard(mutex_);
    return n_ends_ > 0;
  }
  int n_ends() {
    const std::lock_guard guard(mutex_);
    return n_ends_;
  }
  /// What came so far.
  std::vector<AnswerDelta> deltas() {
    const std::lock_guard guard(mutex_);
    return deltas_;
  }
  std::string text(text::ReplyEvent::Kind kind = text::ReplyEvent::Kind::content) {
    std::string out;
    for (const AnswerDelta& delta : deltas()) {
      if (delta.event.kind == kind) out += delta.event.text;
    }
    return out;
  }
  std::vector<AnswerLogprob> logprobs() {
    std::vector<AnswerLogprob> out;
    for (const AnswerDelta& delta : deltas()) {
      out.insert(out.end(), delta.logprobs.begin(), delta.logprobs.end());
    }
    return out;
  }

 private:
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return n_ends_ > 0; });
  }
  void end(std::variant<AnswerResult, ServiceError> outcome) {
    const std::lock_guard guard(mutex_);
    if (auto* result = std::get_if<AnswerResult>(&outcome)) result_ = *result;
    if (auto* error = std::get_if<ServiceError>(&outcome)) error_ = *error;
    ++n_ends_;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Before> prompted_;
  std::vector<DocumentText> documents_;
  std::optional<PromptScores> scores_;
  std::size_t n_scored_ = 0;  // times that some came
  std::vector<AnswerDelta> deltas_;
  std::optional<AnswerResult> result_;
  std::optional<ServiceError> error_;
  int n_ends_ = 0;
};

inline AnswerRequest chat_request(const std::string& model, const std::string& text) {
  AnswerRequest request;
  request.model = model;
  request.messages = Json::array({{{"role", "user"}, {"content", text}}});
  request.sampling.temperature = 0;
  return request;
}

/// Waits for a callback's answer; throws its error's message.
template <typename T>
class Awaited {
 public:
  Callback<T> callback() {
    return [this](std::variant<T, ServiceError> outcome) {
      const std::lock_guard guard(mutex_);
      outcome_ = std::move(outcome);
      changed_.notify_all();
    };
  }
  std::variant<T, ServiceError> outcome() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return outcome_.has_value(); });
    return *outcome_;
  }
  T value() {
    auto got = outcome();
    if (auto* error = std::get_if<ServiceError>(&got)) throw std::runtime_error(error->message);
    return std::get<T>(std::move(got));
  }
  ServiceError error() { return std::get<ServiceError>(outcome()); }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::variant<T, ServiceError>> outcome_;
};

inline Json weather_tool() {
  return {{"type", "function"},
          {"function",
           {{"name", "get_weather"},
            {"description", "The weather of a city"},
            {"parameters",
             {{"type", "object"},
              {"properties", {{"city", {{"type", "string"}}}}},
              {"required", {"city"}}}}}}};
}

}  // namespace pleiad::serving
