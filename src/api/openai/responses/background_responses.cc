#include "api/openai/responses/background_responses.h"

#include <utility>

namespace pleiad::api::openai {
namespace {

std::size_t held_bytes(const StoredResponse& draft) {
  std::size_t n = 2 * draft.bytes();
  for (const auto* turn = draft.previous.get(); turn; turn = turn->previous.get()) {
    n += turn->input_items.size() + turn->output_items.size();
  }
  return n;
}

}  // namespace

BackgroundResponse::BackgroundResponse(std::uint64_t key, StoredResponse draft)
    : key_(key), n_bytes_(held_bytes(draft)), draft_(std::move(draft)) {}

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

bool BackgroundResponse::take_end() {
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
                                                               StoredResponse draft) {
  auto response = std::make_shared<BackgroundResponse>(key, std::move(draft));
  const std::size_t n_bytes = response->n_bytes();
  const std::lock_guard lock(mutex_);
  Load& load = loads_[key];
  const bool is_too_much = load.n_bytes + n_bytes > max_bytes_;
  if (load.n >= kMostOfKey || (load.n > 0 && is_too_much)) return nullptr;
  responses_.emplace(response->id(), response);
  ++load.n;
  load.n_bytes += n_bytes;
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
