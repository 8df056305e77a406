#pragma once

#include <atomic>
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
    ++n_waiting_;
    changed_.wait(guard, [&] { return serving_ == mine; });
    --n_waiting_;
  }
  void unlock() {
    {
      const std::lock_guard guard(mutex_);
      ++serving_;
    }
    changed_.notify_all();
  }
  /// Those that have asked and whose turn has not come.
  int n_waiting() const {
    const std::lock_guard guard(mutex_);
    return n_waiting_;
  }

  /// Tells that an engine has running requests, or has no more.
  void answers_began() { ++answering_; }
  void answers_ended() { --answering_; }
  /// Whether an engine has any. One that has none reads nothing idly then.
  bool has_answers() const { return answering_ > 0; }

  /// Tells that an engine has running streams, or has no more.
  void streams_began() { ++streaming_; }
  void streams_ended() { --streaming_; }
  /// Whether an engine has any. One that has none then takes short turns.
  bool has_streams() const { return streaming_ > 0; }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t next_ticket_ = 0;
  std::uint64_t serving_ = 0;
  int n_waiting_ = 0;
  std::atomic<int> answering_ = 0;  // engines
  std::atomic<int> streaming_ = 0;  // engines
};

}  // namespace pleiad
