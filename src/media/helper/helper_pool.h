#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "media/helper/helper_process.h"
#include "media/reader.h"

namespace pleiad::media {

/// Helpers, each for one picture: so many at a time, first come, first served, and one that is kept
/// ready while pictures come. A thread of its own starts that one and sees the others end.
class HelperPool {
 public:
  HelperPool(HelperProgram program, HelperLimits limits, int max_processes, double idle_seconds);
  ~HelperPool();
  HelperPool(const HelperPool&) = delete;
  HelperPool& operator=(const HelperPool&) = delete;

  /// A helper and the right to use it; both are given back in the end.
  class Lease {
   public:
    Lease(HelperPool& pool, std::unique_ptr<HelperProcess> process)
        : pool_(&pool), process_(std::move(process)) {}
    Lease(Lease&& other) noexcept = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (process_) pool_->give_back(std::move(process_));
    }
    HelperProcess& operator*() const { return *process_; }
    HelperProcess* operator->() const { return process_.get(); }

   private:
    HelperPool* pool_;
    std::unique_ptr<HelperProcess> process_;
  };

  /// Waits for its turn; empty where `stop` was true before. Throws Error where no process can be
  /// started.
  std::optional<Lease> take(const std::function<bool()>& stop);

  /// What the last one said of itself, if any has.
  std::optional<Confinement> confinement() const;
  void note(const Confinement& confinement);

 private:
  bool wait_for_turn(const std::function<bool()>& stop);
  void give_turn_back();
  std::unique_ptr<HelperProcess> take_spare();
  void give_back(std::unique_ptr<HelperProcess> process);
  void keep();
  void end_those_given_back(std::unique_lock<std::mutex>& lock);
  void start_spare(std::unique_lock<std::mutex>& lock);

  const HelperProgram program_;
  const HelperLimits limits_;
  const int max_processes_;
  const double idle_seconds_;

  mutable std::mutex mutex_;
  std::condition_variable turn_changed_;  // for those who wait for a turn
  std::condition_variable work_;          // for the keeper
  std::deque<std::uint64_t> waiting_;     // in the order in which they came
  std::uint64_t n_came_ = 0;
  int n_running_ = 0;  // of those that have a picture or are ending
  std::unique_ptr<HelperProcess> spare_;
  std::vector<std::unique_ptr<HelperProcess>> ending_;
  bool wants_spare_ = false;
  double last_use_ = 0;
  bool closing_ = false;
  std::optional<Confinement> confinement_;
  std::thread keeper_;  // runs once there was a picture
};

}  // namespace pleiad::media
