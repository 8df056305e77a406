#include "serving/workshop.h"

#include <algorithm>
#include <limits>

#include "serving/request_error.h"

namespace pleiad::serving {
namespace {

/// Pictures may take a minute each request, so few of them may stand in line; the places of texts
/// are never taken by them.
constexpr std::size_t kMostWaitingWithMedia = 48;

bool enter(std::atomic<std::size_t>& n, std::size_t most) {
  if (n.fetch_add(1) < most) return true;
  n.fetch_sub(1);
  return false;
}

}  // namespace

bool Workshop::begin_waiting(bool has_media, bool goes_on) {
  constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();
  const std::size_t most_with_media =
      goes_on ? kAny : std::min(kMostWaitingWithMedia, std::max<std::size_t>(1, max_waiting / 2));
  if (has_media && !enter(n_waiting_with_media, most_with_media)) return false;
  if (enter(n_waiting, goes_on ? kAny : max_waiting)) return true;
  if (has_media) n_waiting_with_media.fetch_sub(1);
  return false;
}

void Workshop::end_waiting(bool has_media) {
  n_waiting.fetch_sub(1);
  if (has_media) n_waiting_with_media.fetch_sub(1);
}

store::ModelEntry Workshop::find_usable(const std::string& name) const {
  if (name.empty())
    throw RequestError(ServiceError::Code::bad_request, "model is required", "model");
  Result<store::ModelEntry> entry = find(name);
  if (!entry) throw RequestError(ServiceError::Code::model_not_found, entry.message(), "model");
  if (!entry.value().problem.empty()) {
    throw RequestError(ServiceError::Code::unsupported, entry.value().problem, "model");
  }
  return std::move(entry).value();
}

}  // namespace pleiad::serving
