#include "serving/prompt_job.h"

#include <exception>
#include <utility>

#include "serving/request_error.h"

namespace pleiad::serving {

PromptJob::PromptJob(Workshop& workshop, std::unique_ptr<ActiveWork::Entry> active,
                     AnswerRequest request, Make make, Done done)
    : workshop_(workshop),
      active_(std::move(active)),
      workers_(workshop.workers_for(request)),
      has_media_(!request.media.empty()),
      make_(std::move(make)),
      request_(std::move(request)),
      done_(std::move(done)) {}

PromptJob::~PromptJob() = default;

void PromptJob::start() {
  const auto refuse = [this](const ServiceError& error) {
    workshop_.workers.post([self = shared_from_this(), error] { self->end(error); });
  };
  if (!active_) return refuse(shutting_down_error());
  if (!workshop_.begin_waiting(has_media_)) return refuse(busy_error());
  waits_ = true;
  active_->set_ticket(shared_from_this());
  workers_.post([self = shared_from_this()] { self->run(); });
}

void PromptJob::cancel() { end(shutting_down_error()); }

bool PromptJob::ended() {
  const std::lock_guard guard(mutex_);
  return !done_;
}

void PromptJob::run() {
  std::optional<AnswerRequest> request;
  {
    const std::lock_guard guard(mutex_);
    request.swap(request_);
  }
  if (!request) return;
  try {
    end(make_(*request, [this] { return ended(); }));
  } catch (const std::exception& error) {
    end(for_client(as_service_error(error)));
  }
}

void PromptJob::end(std::variant<AnswerPrompt, ServiceError> outcome) {
  Done done;
  std::optional<AnswerRequest> dropped;
  {
    const std::lock_guard guard(mutex_);
    done.swap(done_);
    dropped.swap(request_);
  }
  if (!done) return;
  if (waits_) workshop_.end_waiting(has_media_);
  done(std::move(outcome));
  active_.reset();
}

}  // namespace pleiad::serving
