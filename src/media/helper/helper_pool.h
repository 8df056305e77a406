#pragma once

#include <array>
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

/// Helpers, each for one file: so many at a time, first come, first served, and of each kind one
/// that is kept ready while files of it come. A thread of its own starts these and sees the others
/// end.
class HelperPool {
 public:
  using Limits = std::array<HelperLimits, kHelperKinds>;

  HelperPool(HelperProgram program, const Limits& limits, int max_processes, double idle_seconds);
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
  std::optional<Lease> take(HelperKind kind, const std::function<bool()>& stop);

  /// What the last one said of itself, if any has.
  std::optional<Confinement> confinement() const;
  void note(const Confinement& confinement);

 private:
  bool wait_for_turn(const std::function<bool()>& stop);
  void give_turn_back();
  std::unique_ptr<HelperProcess> start(HelperKind kind) const;
  std::unique_ptr<HelperProcess> take_spare(HelperKind kind);
  void give_back(std::unique_ptr<HelperProcess> process);
  void keep();
  void end_those_given_back(std::unique_lock<std::mutex>& lock);
  void start_spares(std::unique_lock<std::mutex>& lock);
  bool wants_spares() const;
  void end_spares();

  const HelperProgram program_;
  const Limits limits_;
  const int max_processes_;
  const double idle_seconds_;

  mutable std::mutex mutex_;
  std::condition_variable turn_changed_;  // for those who wait for a turn
  std::condition_variable work_;          // for the keeper
  std::deque<std::uint64_t> waiting_;     // in the order in which they came
  std::uint64_t n_came_ = 0;
  int n_running_ = 0;  // of those that have a file or are ending
  struct Spare {
    std::unique_ptr<HelperProcess> process;
    bool is_wanted = false;
  };
  std::array<Spare, kHelperKinds> spares_;
  std::vector<std::unique_ptr<HelperProcess>> ending_;
  double last_use_ = 0;
  bool closing_ = false;
  std::optional<Confinement> confinement_;
  std::thread keeper_;  // runs once there was a file
};

}  // namespace pleiad::media
