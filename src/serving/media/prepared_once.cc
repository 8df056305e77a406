#include "serving/media/prepared_once.h"

#include <utility>

#include "serving/media/media.h"

namespace pleiad::serving {

PreparedOnce::Found PreparedOnce::find(const std::function<void()>& again) {
  const std::lock_guard guard(mutex_);
  if (failure_) std::rethrow_exception(failure_);
  if (media_) return {media_};
  if (is_being_made_) {
    waiting_.push_back(again);
    return {};
  }
  is_being_made_ = true;
  return {nullptr, true};
}

void PreparedOnce::finish(Media media) { end(std::move(media), nullptr); }
void PreparedOnce::fail(std::exception_ptr failure) { end(nullptr, std::move(failure)); }
void PreparedOnce::give_up() { end(nullptr, nullptr); }

bool PreparedOnce::is_finished() {
  const std::lock_guard guard(mutex_);
  return media_ != nullptr;
}

void PreparedOnce::forget_part(std::size_t index) {
  Media before;  // freed without the lock
  const std::lock_guard guard(mutex_);
  if (!media_ || index >= media_->shown.parts.size()) return;
  auto rest = std::make_shared<PreparedMedia>(*media_);
  rest->shown.parts[index].picture = nullptr;
  rest->shown.parts[index].sound = nullptr;
  before = std::exchange(media_, std::move(rest));
}

void PreparedOnce::end(Media media, std::exception_ptr failure) {
  std::vector<std::function<void()>> waiting;
  {
    const std::lock_guard guard(mutex_);
    is_being_made_ = false;
    media_ = std::move(media);
    failure_ = std::move(failure);
    waiting.swap(waiting_);
  }
  for (const auto& again : waiting) again();
}

}  // namespace pleiad::serving
