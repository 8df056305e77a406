#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "serving/service.h"

namespace pleiad::api {

/// A service that answers from a script, at once and on the caller's thread, and
/// keeps what it was asked. With `hold` set answers stay open: the test goes on with
/// `held` itself.
class FakeService : public serving::Service {
 public:
  struct FakeTicket : serving::Ticket {
    void cancel() override { cancelled = true; }
    bool cancelled = false;
  };
  struct Held {
    std::shared_ptr<serving::AnswerObserver> observer;
    std::shared_ptr<FakeTicket> ticket;
  };
  struct HeldEmbed {
    serving::Callback<serving::EmbedResult> done;
    std::shared_ptr<FakeTicket> ticket;
  };

  struct HeldPrompt {
    std::function<void()> finish;
    std::shared_ptr<FakeTicket> ticket;
  };

  // The script.
  std::vector<serving::DocumentText> documents;  // that observers are told of first
  std::vector<serving::PromptScores> scores;     // of every prompt that asks for them
  std::vector<serving::AnswerDelta> deltas;
  std::variant<serving::AnswerResult, serving::ServiceError> end = serving::AnswerResult{};
  std::variant<serving::EmbedResult, serving::ServiceError> embedding = serving::EmbedResult{};
  std::variant<Loaded, serving::ServiceError> loading = Loaded{};
  std::variant<Unloaded, serving::ServiceError> unloading = Unloaded{};
  std::variant<TokenCount, serving::ServiceError> token_count = TokenCount{};
  std::variant<Rendering, serving::ServiceError> rendering = Rendering{};
  std::variant<serving::PageViews, serving::ServiceError> page_views = serving::PageViews{};
  std::vector<serving::LoadedInfo> in_memory;
  store::Catalog* models = nullptr;
  bool hold = false;

  // What was asked.
  std::vector<serving::AnswerRequest> answers;
  std::vector<serving::EmbedRequest> embeds;
  std::vector<std::pair<std::string, std::optional<serving::KeepAlive>>> loads;
  std::vector<std::string> unloads;
  std::vector<std::filesystem::path> unloaded_files;
  std::vector<serving::AnswerRequest> counts;
  std::vector<serving::AnswerRequest> renders;
  std::vector<serving::PagesRequest> views;
  std::vector<Held> held;
  std::vector<HeldEmbed> held_embeds;
  std::vector<HeldPrompt> held_prompts;  // of counts, renders and views

  std::shared_ptr<serving::Ticket> answer(
      serving::AnswerRequest request, std::shared_ptr<serving::AnswerObserver> observer) override {
    answers.push_back(std::move(request));
    auto ticket = std::make_shared<FakeTicket>();
    if (hold) {
      held.push_back({std::move(observer), ticket});
      return ticket;
    }
    for (const serving::DocumentText& document : documents) observer->document(document);
    observer->prompted();
    if (answers.back().prompt_logprobs) {
      for (const serving::PromptScores& some : scores) observer->scored(some);
    }
    for (const serving::AnswerDelta& delta : deltas) observer->delta(delta);
    if (const auto* result = std::get_if<serving::AnswerResult>(&end)) {
      observer->done(*result);
    } else {
      observer->failed(std::get<serving::ServiceError>(end));
    }
    return ticket;
  }

  std::shared_ptr<serving::Ticket> embed(serving::EmbedRequest request,
                                         serving::Callback<serving::EmbedResult> done) override {
    embeds.push_back(std::move(request));
    auto ticket = std::make_shared<FakeTicket>();
    if (hold) {
      held_embeds.push_back({std::move(done), ticket});
    } else {
      done(embedding);
    }
    return ticket;
  }

  void load(const std::string& model, std::optional<serving::KeepAlive> keep_alive,
            serving::Callback<Loaded> done) override {
    loads.emplace_back(model, keep_alive);
    done(loading);
  }

  void unload(const std::string& model, serving::Callback<Unloaded> done) override {
    unloads.push_back(model);
    done(unloading);
  }

  void unload_file(const std::filesystem::path& path) override { unloaded_files.push_back(path); }

  std::shared_ptr<serving::Ticket> count_tokens(serving::AnswerRequest request,
                                                serving::Callback<TokenCount> done) override {
    counts.push_back(std::move(request));
    return prompt_ticket([this, done = std::move(done)] { done(token_count); });
  }

  std::shared_ptr<serving::Ticket> render(serving::AnswerRequest request,
                                          serving::Callback<Rendering> done) override {
    renders.push_back(std::move(request));
    return prompt_ticket([this, done = std::move(done)] { done(rendering); });
  }

  std::shared_ptr<serving::Ticket> view_pages(serving::PagesRequest request,
                                              serving::Callback<serving::PageViews> done) override {
    views.push_back(std::move(request));
    return prompt_ticket([this, done = std::move(done)] { done(page_views); });
  }

  std::vector<serving::LoadedInfo> loaded() const override { return in_memory; }

  store::Catalog& catalog() override {
    CHECK(models, "the test gave no catalog");
    return *models;
  }

  std::string version() const override { return "0.1.0"; }

 private:
  std::shared_ptr<FakeTicket> prompt_ticket(std::function<void()> finish) {
    auto ticket = std::make_shared<FakeTicket>();
    if (hold) {
      held_prompts.push_back({std::move(finish), ticket});
    } else {
      finish();
    }
    return ticket;
  }
};

/// Deltas, shortly.
inline serving::AnswerDelta content_delta(std::string text) {
  serving::AnswerDelta delta;
  delta.event.kind = text::ReplyEvent::Kind::content;
  delta.event.text = std::move(text);
  return delta;
}

inline serving::AnswerDelta thinking_delta(std::string text) {
  serving::AnswerDelta delta = content_delta(std::move(text));
  delta.event.kind = text::ReplyEvent::Kind::thinking;
  return delta;
}

inline serving::AnswerDelta call_delta(std::string id, std::string name, Json arguments) {
  serving::AnswerDelta delta;
  delta.event.kind = text::ReplyEvent::Kind::tool_call;
  delta.event.name = std::move(name);
  delta.event.arguments = std::move(arguments);
  delta.tool_call_id = std::move(id);
  return delta;
}

/// The begin of a call that comes in pieces, a piece of its arguments, and all that comes of it
/// where a client wants pieces.
inline serving::AnswerDelta begun_delta(std::string id, std::string name) {
  serving::AnswerDelta delta = call_delta(std::move(id), std::move(name), {});
  delta.event.kind = text::ReplyEvent::Kind::call_begun;
  return delta;
}
inline serving::AnswerDelta arguments_delta(std::string id, std::string json) {
  serving::AnswerDelta delta = content_delta(std::move(json));
  delta.event.kind = text::ReplyEvent::Kind::call_arguments;
  delta.tool_call_id = std::move(id);
  return delta;
}
inline std::vector<serving::AnswerDelta> call_deltas(const std::string& id, const std::string& name,
                                                     const std::vector<std::string>& pieces) {
  std::vector<serving::AnswerDelta> deltas = {begun_delta(id, name)};
  std::string whole;
  for (const std::string& piece : pieces) {
    whole += piece;
    deltas.push_back(arguments_delta(id, piece));
  }
  deltas.push_back(call_delta(id, name, json_or_discarded(whole)));
  return deltas;
}

inline serving::ServiceError service_error(serving::ServiceError::Code code, std::string message) {
  serving::ServiceError error;
  error.code = code;
  error.message = std::move(message);
  return error;
}

}  // namespace pleiad::api
