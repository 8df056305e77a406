#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "base/result.h"
#include "media/fetcher.h"
#include "media/prepare.h"

namespace pleiad::serving {

/// As media::PictureReader::prepare, which it is in a server.
using PreparePicture = std::function<Result<media::PreparedPicture>(
    std::span<const std::byte> bytes, const media::PictureOptions& options,
    const std::function<bool()>& stop)>;

/// Memory for pixels that wait to be computed, of all requests together. Threads share it.
class PixelBudget {
 public:
  explicit PixelBudget(std::uint64_t bytes) : left_(bytes) {}
  PixelBudget(const PixelBudget&) = delete;
  PixelBudget& operator=(const PixelBudget&) = delete;

  /// False where there is not enough left.
  bool take(std::uint64_t bytes) {
    std::uint64_t left = left_.load();
    while (left >= bytes) {
      if (left_.compare_exchange_weak(left, left - bytes)) return true;
    }
    return false;
  }
  void give_back(std::uint64_t bytes) { left_.fetch_add(bytes); }

 private:
  std::atomic<std::uint64_t> left_;
};

/// What pictures of requests are read with.
struct MediaTools {
  PreparePicture prepare;                  // empty: no pictures are read here
  media::MediaFetcher* fetcher = nullptr;  // null: URLs are refused; else outlives the service
  std::shared_ptr<PixelBudget> pixels = std::make_shared<PixelBudget>(std::uint64_t{1} << 30);
  std::uint64_t most_pixel_bytes = std::uint64_t{256} << 20;  // of one request
  double seconds = 60;  // to read all pictures of one request, once its turn has come
};

}  // namespace pleiad::serving
