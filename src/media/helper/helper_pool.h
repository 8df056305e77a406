#pragma once

#include <array>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "media/helper/helper_process.h"
#include "media/reader.h"
#include "media/turns.h"

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

  /// A helper that has a file or is ending; its turn is given back after that.
  struct Used {
    Turns::Turn turn;
    std::unique_ptr<HelperProcess> process;
  };

  /// A helper and the right to use it; both are given back in the end.
  class Lease {
   public:
    Lease(HelperPool& pool, Turns::Turn turn, std::unique_ptr<HelperProcess> process)
        : pool_(&pool), used_{std::move(turn), std::move(process)} {}
    Lease(Lease&& other) noexcept = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (used_.process) pool_->give_back(std::move(used_));
    }
    HelperProcess& operator*() const { return *used_.process; }
    HelperProcess* operator->() const { return used_.process.get(); }

   private:
    HelperPool* pool_;
    Used used_;
  };

  /// Waits for its turn; empty where `stop` was true before. Throws Error where no process can be
  /// started.
  std::optional<Lease> take(HelperKind kind, const std::function<bool()>& stop);

  /// What the last one said of itself, if any has.
  std::optional<Confinement> confinement() const;
  void note(const Confinement& confinement);

 private:
  std::unique_ptr<HelperProcess> start(HelperKind kind) const;
  std::unique_ptr<HelperProcess> take_spare(HelperKind kind);
  void give_back(Used used);
  void keep();
  void end_those_given_back(std::unique_lock<std::mutex>& lock);
  void start_spares(std::unique_lock<std::mutex>& lock);
  bool wants_spares() const;
  void end_spares();

  const HelperProgram program_;
  const Limits limits_;
  const double idle_seconds_;

  Turns turns_;  // of those that have a file or are ending
  mutable std::mutex mutex_;
  std::condition_variable work_;  // for the keeper
  struct Spare {
    std::unique_ptr<HelperProcess> process;
    bool is_wanted = false;
  };
  std::array<Spare, kHelperKinds> spares_;
  std::vector<Used> ending_;
  double last_use_ = 0;
  bool closing_ = false;
  std::optional<Confinement> confinement_;
  std::thread keeper_;  // runs once there was a file
};

}  // namespace pleiad::media
