#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>

namespace pleiad::media {

/// So many at a time, first come, first served. Thread-safe.
class Turns {
 public:
  explicit Turns(int n_at_a_time);

  /// A turn, given back in the end.
  class Turn {
   public:
    explicit Turn(Turns& turns) : turns_(&turns) {}
    Turn(Turn&& other) noexcept : turns_(other.turns_) { other.turns_ = nullptr; }
    Turn& operator=(Turn&&) = delete;
    ~Turn() {
      if (turns_) turns_->give_back();
    }

   private:
    Turns* turns_;
  };

  /// Waits for one; empty where `stop` (which may be empty) was true before.
  std::optional<Turn> take(const std::function<bool()>& stop);

  /// Turns that are taken and not yet given back.
  int n_taken() const;

 private:
  void give_back();

  const int n_at_a_time_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::uint64_t> waiting_;  // in the order in which they came
  std::uint64_t n_came_ = 0;
  int n_taken_ = 0;
};

}  // namespace pleiad::media
