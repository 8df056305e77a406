#include "apps/serve/observer.h"

#include <cmath>

namespace pleiad::apps {
namespace {

/// Milliseconds with a tenth: enough for a log, and short.
double milliseconds(double seconds) { return std::round(seconds * 1e4) / 10; }

double rate(std::int64_t tokens, double seconds) {
  return seconds > 0 ? std::round(static_cast<double>(tokens) / seconds * 10) / 10 : 0;
}

}  // namespace

void ServerObserver::request_finished(const http::AccessRecord& record) {
  metrics_.request_finished(record);
  Log::Fields fields = {{"request", record.id},          {"peer", record.peer},
                        {"method", record.method},       {"path", record.path},
                        {"status", record.status},       {"bytes_in", record.bytes_in},
                        {"bytes_out", record.bytes_out}, {"ms", milliseconds(record.seconds)}};
  if (record.client_gone) fields.emplace_back("client_gone", true);
  if (!record.warnings.empty()) fields.emplace_back("warnings", record.warnings);
  if (!record.error.empty()) fields.emplace_back("error", record.error);
  log_.write(record.error.empty() ? Log::Level::info : Log::Level::error, "request", fields);
}

void ServerObserver::first_token(const std::string& model, double seconds) {
  metrics_.first_token(model, seconds);
}

void ServerObserver::token_gap(const std::string& model, double seconds) {
  metrics_.token_gap(model, seconds);
}

void ServerObserver::finished(const Finished& answer) {
  metrics_.answer_finished(answer);
  const GenerationStats& stats = answer.stats;
  Log::Fields fields = {{"request", answer.id},
                        {"model", answer.model.empty() ? answer.asked : answer.model},
                        {"outcome", answer.outcome},
                        {"prompt_tokens", stats.prompt_tokens},
                        {"cached_tokens", stats.cached_tokens},
                        {"generated_tokens", stats.generated_tokens},
                        {"prompt_tok_s", rate(stats.evaluated_tokens(), stats.prompt_seconds)},
                        {"tok_s", rate(stats.generated_tokens, stats.generation_seconds)},
                        {"queue_ms", milliseconds(answer.queue_seconds)},
                        {"load_ms", milliseconds(answer.load_seconds)},
                        {"total_ms", milliseconds(answer.total_seconds)}};
  // What is wrong with a request is told in its own words, which are nobody else's business.
  const bool may_quote = answer.outcome == "bad_request";
  if (!answer.field.empty()) fields.emplace_back("field", answer.field);
  if (!answer.error.empty() && (!may_quote || log_.writes(Log::Level::debug))) {
    fields.emplace_back("error", answer.error);
  }
  const bool ours = answer.outcome == "internal";
  log_.write(ours ? Log::Level::error : Log::Level::info, "answer", fields);
}

void ServerObserver::load_started(const std::string& model) {
  log_.write(Log::Level::info, "loading", {{"model", model}});
}

void ServerObserver::load_finished(const std::string& model, double seconds,
                                   const std::string& error) {
  const bool ok = error.empty();
  metrics_.load_finished(model, seconds, ok);
  Log::Fields fields = {{"model", model}, {"ms", milliseconds(seconds)}};
  if (!ok) fields.emplace_back("error", error);
  log_.write(ok ? Log::Level::info : Log::Level::error, ok ? "loaded" : "not loaded", fields);
}

void ServerObserver::unloaded(const std::string& model) {
  log_.write(Log::Level::info, "unloaded", {{"model", model}});
}

}  // namespace pleiad::apps
