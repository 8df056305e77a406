#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace pleiad::http {

/// The memory that the bodies of all requests may take together. Threads share it.
class BodyBudget {
 public:
  explicit BodyBudget(std::uint64_t bytes) : bytes_(bytes) {}

  /// What one body takes of it, given back as it dies.
  class Share {
   public:
    Share() = default;
    Share(Share&& other) noexcept
        : used_(std::move(other.used_)), bytes_(std::exchange(other.bytes_, 0)) {}
    Share& operator=(Share&& other) noexcept {
      std::swap(used_, other.used_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Share() {
      if (used_) *used_ -= bytes_;
    }

   private:
    friend class BodyBudget;
    std::shared_ptr<std::atomic<std::uint64_t>> used_;
    std::uint64_t bytes_ = 0;
  };

  /// False, and nothing changes, where that is more than there is.
  bool grow(Share& share, std::uint64_t to_bytes) {
    const std::uint64_t more = to_bytes - share.bytes_;
    if (used_->fetch_add(more) + more > bytes_) {
      *used_ -= more;
      return false;
    }
    share.used_ = used_;
    share.bytes_ = to_bytes;
    return true;
  }

 private:
  const std::uint64_t bytes_;
  const std::shared_ptr<std::atomic<std::uint64_t>> used_ =
      std::make_shared<std::atomic<std::uint64_t>>(0);
};

}  // namespace pleiad::http
