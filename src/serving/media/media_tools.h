#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "base/result.h"
#include "media/fetcher.h"
#include "media/prepare.h"

namespace pleiad::serving {

/// As media::MediaReader::prepare_picture, which it is in a server.
using PreparePicture = std::function<Result<media::PreparedPicture>(
    std::span<const std::byte> bytes, const media::PictureOptions& options,
    const std::function<bool()>& stop)>;

/// Memory for pixels that wait to be computed, of all requests together; those of one caller may
/// take half of it. Threads share it.
class PixelBudget {
 public:
  explicit PixelBudget(std::uint64_t bytes) : bytes_(bytes) {}
  PixelBudget(const PixelBudget&) = delete;
  PixelBudget& operator=(const PixelBudget&) = delete;

  /// False where there is not enough left.
  bool take(std::uint64_t caller, std::uint64_t bytes) {
    const std::lock_guard guard(mutex_);
    const auto found = by_caller_.find(caller);
    const std::uint64_t of_caller = found == by_caller_.end() ? 0 : found->second;
    if (bytes > bytes_ - used_ || bytes + of_caller > bytes_ / 2) return false;
    by_caller_[caller] = of_caller + bytes;
    used_ += bytes;
    return true;
  }
  void give_back(std::uint64_t caller, std::uint64_t bytes) {
    const std::lock_guard guard(mutex_);
    used_ -= bytes;
    const auto found = by_caller_.find(caller);
    if ((found->second -= bytes) == 0) by_caller_.erase(found);
  }

 private:
  const std::uint64_t bytes_;
  std::mutex mutex_;  // guards what follows
  std::uint64_t used_ = 0;
  std::map<std::uint64_t, std::uint64_t> by_caller_;  // those that use some
};

/// How much that is where so much memory is available: a sixteenth, 1 GiB at most.
constexpr std::uint64_t pixel_budget_bytes(std::uint64_t available) {
  return std::min(available / 16, std::uint64_t{1} << 30);
}

/// What pictures of requests are read with.
struct MediaTools {
  PreparePicture prepare;                  // empty: no pictures are read here
  media::MediaFetcher* fetcher = nullptr;  // null: URLs are refused; else outlives the service
  std::shared_ptr<PixelBudget> pixels = std::make_shared<PixelBudget>(std::uint64_t{1} << 30);
  std::uint64_t most_pixel_bytes = std::uint64_t{256} << 20;  // of one request
  double seconds = 60;  // to read all pictures of one request, once its turn has come
};

}  // namespace pleiad::serving
