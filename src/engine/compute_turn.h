#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace pleiad {

/// Lets one computation at a time use the processor, in the order of asking,
/// where several engines share it.
class ComputeTurn {
 public:
  void lock() {
    std::unique_lock guard(mutex_);
    const std::uint64_t mine = next_ticket_++;
    changed_.wait(guard, [&] { return serving_ == mine; });
  }
  void unlock() {
    {
      const std::lock_guard guard(mutex_);
      ++serving_;
    }
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t next_ticket_ = 0;
  std::uint64_t serving_ = 0;
};

}  // namespace pleiad
