#include "api/openai/responses/background_responses.h"

#include <utility>

namespace pleiad::api::openai {

StoredResponse BackgroundResponse::snapshot() const {
  const std::lock_guard lock(mutex_);
  return draft_;
}

void BackgroundResponse::progress(std::string body) {
  const std::lock_guard lock(mutex_);
  draft_.status = "in_progress";
  draft_.body = std::move(body);
}

void BackgroundResponse::on_cancel(std::function<void()> cancel) {
  {
    const std::lock_guard lock(mutex_);
    if (!cancelled_) {
      if (!ended_) cancel_ = std::move(cancel);
      return;
    }
  }
  cancel();
}

bool BackgroundResponse::end() {
  const std::lock_guard lock(mutex_);
  return !std::exchange(ended_, true);
}

// What ends the work may call back, so it is called without the lock.
void BackgroundResponse::cancel() {
  std::function<void()> cancel;
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
    cancel.swap(cancel_);
  }
  if (cancel) cancel();
}

std::shared_ptr<BackgroundResponse> BackgroundResponses::begin(std::uint64_t key,
                                                               StoredResponse draft,
                                                               std::size_t n_bytes) {
  auto response = std::make_shared<BackgroundResponse>(key, std::move(draft), n_bytes);
  const std::lock_guard lock(mutex_);
  Load& load = loads_[key];
  const bool is_too_much = load.n_bytes + n_bytes > max_bytes_;
  if (load.n >= kMostOfKey || (load.n > 0 && is_too_much)) return nullptr;
  ++load.n;
  load.n_bytes += n_bytes;
  responses_.emplace(response->id(), response);
  return response;
}

std::shared_ptr<BackgroundResponse> BackgroundResponses::find(const http::Caller& caller,
                                                              const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto found = responses_.find(id);
  if (found == responses_.end()) return nullptr;
  const bool may_see = caller.sees_all || found->second->key() == caller.key;
  return may_see ? found->second : nullptr;
}

void BackgroundResponses::remove(const BackgroundResponse& response) {
  const std::lock_guard lock(mutex_);
  if (responses_.erase(response.id()) == 0) return;
  const auto load = loads_.find(response.key());
  load->second.n_bytes -= response.n_bytes();
  if (--load->second.n == 0) loads_.erase(load);
}

}  // namespace pleiad::api::openai
