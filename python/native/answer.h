#pragma once

#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "serving/service.h"

namespace pleiad::python {

/// A part of an answer as Python gets it.
struct AnswerPart {
  std::string kind;  // "content", "thinking", "tool_call", "broken_tool_call"
  std::string text;
  std::string details;  // JSON: {"id", "name", "arguments", "problem", "logprobs"}; may be empty
};

/// What comes of an answer, from the engine's thread to those of Python, which need not keep up.
class AnswerQueue final : public serving::AnswerObserver {
 public:
  explicit AnswerQueue(std::vector<std::string> warnings) : warnings_(std::move(warnings)) {}
  ~AnswerQueue() override;

  void delta(serving::AnswerDelta delta) override;
  void done(const serving::AnswerResult& result) override;
  void failed(const serving::ServiceError& error) override;

  /// The next part; nothing at the end. Waits with the GIL released; throws ServiceFailure, and
  /// what a signal raises.
  std::optional<AnswerPart> next();
  /// The same without waiting: `waits` where neither a part nor the end is there yet.
  std::optional<AnswerPart> next_at_once(bool& waits);

  /// A descriptor that is readable while something is there to be taken, for event loops. Belongs
  /// to the queue. Throws Error where the system gives none.
  int descriptor();

  /// How it ended, as JSON: "finish_reason", "usage", ... Empty where it has not ended well.
  std::string result() const;

 private:
  bool has_something() const { return !parts_.empty() || ended_; }
  std::optional<AnswerPart> take();
  void push(AnswerPart part);
  void end();
  void signal() const;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<AnswerPart> parts_;
  bool ended_ = false;
  std::optional<serving::ServiceError> error_;
  std::string result_;
  std::vector<std::string> warnings_;  // of the request
  int descriptor_ = -1;                // an eventfd, once somebody asked for it
};

/// An answer under way. Cancelled where nobody is left to hear it.
class Answer {
 public:
  Answer(std::shared_ptr<AnswerQueue> queue, std::shared_ptr<serving::Ticket> ticket)
      : queue_(std::move(queue)), ticket_(std::move(ticket)) {}
  ~Answer() { cancel(); }
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;

  /// Throws ClosedError in a process that was forked, which nothing comes to.
  AnswerQueue& queue();
  void cancel() {
    if (owner_ == ::getpid()) ticket_->cancel();
  }

 private:
  const pid_t owner_ = ::getpid();  // a process that was forked has neither engine nor thread
  std::shared_ptr<AnswerQueue> queue_;
  std::shared_ptr<serving::Ticket> ticket_;
};

}  // namespace pleiad::python
