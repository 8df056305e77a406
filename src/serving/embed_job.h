#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <variant>
#include <vector>

#include "serving/workshop.h"

namespace pleiad::serving {

/// The embeddings of a list of texts, a few at a time so that many inputs do not
/// fill the engine's queue.
class EmbedJob final : public Ticket, public std::enable_shared_from_this<EmbedJob> {
 public:
  EmbedJob(Workshop& workshop, std::unique_ptr<ActiveWork::Entry> active, EmbedRequest request,
           Callback<EmbedResult> done);

  /// Once, after the job is held by a shared_ptr.
  void start();

  /// Fails with shutting_down: the server ends, or nobody is left to hear it.
  void cancel() override;

 private:
  void find_model();
  void take_model(std::variant<ModelPool::Lease, ServiceError> outcome);
  void encode();
  std::size_t n_inputs() const { return request_.inputs.size() + request_.token_inputs.size(); }
  /// Both throw RequestError.
  std::vector<text::TokenId> take_tokens(const text::Tokenizer& tokenizer, std::size_t index,
                                         std::int64_t limit);
  std::vector<text::TokenId> encode_input(const text::Tokenizer& tokenizer, std::size_t index,
                                          std::int64_t limit);
  void submit_next();
  void take(std::size_t input, Engine::Embedding embedding);
  bool ended();
  void leave_queue();
  void end(std::variant<EmbedResult, ServiceError> outcome);
  void on_worker(void (EmbedJob::*step)());

  Workshop& workshop_;
  std::unique_ptr<ActiveWork::Entry> active_;
  EmbedRequest request_;
  Callback<EmbedResult> done_;
  const double started_;
  const double deadline_;
  const bool refused_;  // the server was ending when it came
  std::vector<std::vector<text::TokenId>> prompts_;
  std::atomic<bool> waits_ = false;  // counted among those that have not come to an engine

  std::mutex mutex_;  // guards what follows
  ModelPool::Lease lease_;
  EmbedResult result_;
  std::size_t next_ = 0;  // input that is submitted next
  std::size_t n_done_ = 0;
  bool ended_ = false;
  ModelPool::WaitId wait_ = 0;                          // while the model is waited for
  std::map<std::size_t, Engine::RequestId> in_flight_;  // by input
};

/// The first `dimensions` values (0: all) at length one.
std::vector<float> unit_length(std::vector<float> values, std::size_t dimensions);

}  // namespace pleiad::serving
