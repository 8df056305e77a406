#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <variant>

#include "serving/active_work.h"
#include "serving/answer_prompt.h"
#include "serving/workshop.h"

namespace pleiad::serving {

/// The prompt of one request, from the queue to whoever counts or shows it; nothing is computed.
class PromptJob final : public Ticket, public std::enable_shared_from_this<PromptJob> {
 public:
  /// Throws what is wrong with the request.
  using Make =
      std::function<AnswerPrompt(const AnswerRequest& request, const std::function<bool()>& stop)>;
  using Done = Callback<AnswerPrompt>;

  /// `active` is null where the server is ending.
  PromptJob(Workshop& workshop, std::unique_ptr<ActiveWork::Entry> active, AnswerRequest request,
            Make make, Done done);
  ~PromptJob() override;

  /// Once, after the job is held by a shared_ptr.
  void start();

  /// Fails with shutting_down: the server ends, or nobody is left to hear it. The request's memory
  /// is free at once where no worker has it yet.
  void cancel() override;

 private:
  void run();
  bool ended();
  void end(std::variant<AnswerPrompt, ServiceError> outcome);

  Workshop& workshop_;
  std::unique_ptr<ActiveWork::Entry> active_;
  WorkPool& workers_;
  const bool has_media_;
  const Make make_;
  bool waits_ = false;  // counted among those that have not come to an end

  std::mutex mutex_;                      // guards what follows
  std::optional<AnswerRequest> request_;  // until a worker has it
  Done done_;                             // empty: it has ended
};

}  // namespace pleiad::serving
