#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>

#include "serving/active_work.h"
#include "serving/request_error.h"
#include "serving/workshop.h"

namespace pleiad::serving {

/// What a worker makes of one request, from the queue to whoever asked for it; no engine is needed.
template <typename Request, typename Made>
class QueuedJob final : public Ticket,
                        public std::enable_shared_from_this<QueuedJob<Request, Made>> {
 public:
  /// Throws what is wrong with the request.
  using Make = std::function<Made(const Request& request, const std::function<bool()>& stop)>;
  using Done = Callback<Made>;

  /// `active` is null where the server is ending. `has_media`: files are read for it.
  QueuedJob(Workshop& workshop, std::unique_ptr<ActiveWork::Entry> active, bool has_media,
            Request request, Make make, Done done)
      : workshop_(workshop),
        active_(std::move(active)),
        workers_(has_media ? workshop.media_workers : workshop.workers),
        has_media_(has_media),
        make_(std::move(make)),
        request_(std::move(request)),
        done_(std::move(done)) {}

  /// Once, after the job is held by a shared_ptr.
  void start() {
    const auto refuse = [this](const ServiceError& error) {
      workshop_.workers.post([self = this->shared_from_this(), error] { self->end(error); });
    };
    if (!active_) return refuse(shutting_down_error());
    if (!workshop_.begin_waiting(has_media_)) return refuse(busy_error());
    waits_ = true;
    active_->set_ticket(this->shared_from_this());
    workers_.post([self = this->shared_from_this()] { self->run(); });
  }

  /// Fails with shutting_down: the server ends, or nobody is left to hear it. The request's memory
  /// is free at once where no worker has it yet.
  void cancel() override { end(shutting_down_error()); }

 private:
  bool ended() {
    const std::lock_guard guard(mutex_);
    return !done_;
  }

  void run() {
    std::optional<Request> request;
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

  void end(std::variant<Made, ServiceError> outcome) {
    Done done;
    std::optional<Request> dropped;
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

  Workshop& workshop_;
  std::unique_ptr<ActiveWork::Entry> active_;
  WorkPool& workers_;
  const bool has_media_;
  const Make make_;
  bool waits_ = false;  // counted among those that have not come to an end

  std::mutex mutex_;                // guards what follows
  std::optional<Request> request_;  // until a worker has it
  Done done_;                       // empty: it has ended
};

}  // namespace pleiad::serving
