#include "http/handling.h"

#include <exception>
#include <mutex>
#include <optional>
#include <utility>

#include "base/error.h"

namespace pleiad::http {
namespace {

/// Between the connection, which may end, and the worker that takes it.
class WaitingRequest {
 public:
  struct Content {
    Request request;
    BodyBudget::Share share;
  };

  explicit WaitingRequest(Content content) : content_(std::move(content)) {}

  /// Empty from then on.
  std::optional<Content> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(content_, std::nullopt);
  }

 private:
  std::mutex mutex_;
  std::optional<Content> content_;
};

}  // namespace

void run_handler(const Route& route, Request request, BodyBudget::Share share,
                 const std::shared_ptr<Answer>& answer) {
  // Lives until a failure has been answered.
  const auto exchange = std::make_shared<AnswerExchange>(answer, std::move(share));
  try {
    route.handler(std::move(request), exchange);
  } catch (const pleiad::Error& error) {
    answer->fail(400, error.what());
  } catch (const std::exception& error) {
    answer->fail(500, "internal error", error.what());
  }
}

void run_handler_later(WorkPool& workers, const Route& route, Request request,
                       BodyBudget::Share share, const std::shared_ptr<Answer>& answer) {
  const auto waiting = std::make_shared<WaitingRequest>(
      WaitingRequest::Content{std::move(request), std::move(share)});
  answer->on_gone([waiting] { waiting->take(); });
  workers.post([waiting, &route, answer] {
    auto content = waiting->take();
    if (content) {
      run_handler(route, std::move(content->request), std::move(content->share), answer);
    }
  });
}

}  // namespace pleiad::http
