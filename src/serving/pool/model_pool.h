#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "serving/answer.h"
#include "serving/observer.h"
#include "serving/pool/file_stamp.h"
#include "serving/pool/model_runtime.h"
#include "serving/service.h"

namespace pleiad::serving {

struct PoolOptions {
  std::uint64_t memory_bytes = 0;  // for all models together, keys and values included
  std::uint64_t kv_bytes = 0;      // of each model; 0: a share of what is free
  int max_loaded_models = 3;       // 0: as many as the memory holds
  std::size_t max_waiting = 512;   // requests that wait for a model
  double keep_alive_seconds = 300;
  std::function<double()> clock = monotonic_seconds;
};

class ModelPool;
struct PoolSlot;

/// A model in use: it stays loaded while this lives.
class ModelLease {
 public:
  enum class Use : std::uint8_t {
    at_once,       // for a request
    after_a_wait,  // likewise, but it had to be waited for
    look,          // does not prolong how long the model stays
  };
  ModelLease(ModelPool& pool, std::shared_ptr<PoolSlot> slot, Use use);
  ~ModelLease();
  ModelLease(const ModelLease&) = delete;
  ModelLease& operator=(const ModelLease&) = delete;

  ModelRuntime& runtime() const;
  Use use() const { return use_; }

 private:
  ModelPool& pool_;
  std::shared_ptr<PoolSlot> slot_;
  Use use_;
};

/// The models in memory: loaded when they are asked for, by one thread and in order;
/// unloaded when nobody wants them any more, or the longest unused one when another
/// needs the room. One that is in use is never taken away. Threads may share it.
class ModelPool {
 public:
  /// `loader` and `observer` must outlive the pool.
  ModelPool(PoolOptions options, RuntimeLoader& loader, ServingObserver& observer);
  /// stop(); every lease must have gone.
  ~ModelPool();
  ModelPool(const ModelPool&) = delete;
  ModelPool& operator=(const ModelPool&) = delete;

  /// Shared, because a std::function that is copied carries it; one request's.
  using Lease = std::shared_ptr<ModelLease>;
  using Ready = std::function<void(std::variant<Lease, ServiceError>)>;
  using WaitId = std::uint64_t;

  /// The model of entry.path, loaded first where it must be. `ready` may come before
  /// acquire() returns; else on a thread of the pool's, to those that wait for one model
  /// in order. `deadline` is on the pool's clock. `goes_on`: it is not refused where many wait.
  WaitId acquire(const store::ModelEntry& entry, std::optional<KeepAlive> keep_alive,
                 double deadline, Ready ready, bool goes_on = false);
  /// True: `ready` will not be called. False: it has been, or is about to be.
  bool cancel(WaitId id);

  /// Unloads what was loaded from the path, with whichever projector, once its requests are
  /// done; those that come from now on load it anew. `done` comes when it is gone, or was not
  /// there.
  void unload(const std::filesystem::path& path, std::function<void()> done);

  std::vector<LoadedInfo> loaded();

  /// The model of the entry's files, where it is loaded already; null otherwise.
  Lease find_loaded(const store::ModelEntry& entry);

  /// Looks at the clock now: for one that jumps.
  void wake();

  /// Fails what waits, now and from now on.
  void refuse_waiting();
  /// refuse_waiting(), and unloads everything once its leases have gone.
  void stop();

 private:
  friend class ModelLease;
  struct Waiter {
    WaitId id = 0;
    double deadline = 0;
    std::optional<KeepAlive> keep_alive;
    Ready ready;
  };
  struct Load {
    store::ModelEntry entry;
    std::optional<FileStamp> stamp;
    std::vector<Waiter> waiters;
    std::uint64_t done_bytes = 0, total_bytes = 0;
    bool retire = false;  // to be unloaded once its waiters are answered
    std::vector<std::function<void()>> when_gone;
  };
  using Slot = PoolSlot;
  using SlotPtr = std::shared_ptr<PoolSlot>;
  using Lock = std::unique_lock<std::mutex>;

  void release(const SlotPtr& slot, ModelLease::Use use);
  double now() const { return options_.clock(); }

  // Those below are called with the lock held, and may let go of it meanwhile.
  SlotPtr usable_slot(const store::ModelEntry& entry, const std::optional<FileStamp>& stamp);
  Lease lease(const SlotPtr& slot, const std::optional<KeepAlive>& keep_alive, ModelLease::Use use);
  Lease look(const SlotPtr& slot);
  LoadedInfo describe(const SlotPtr& slot) const;
  void retire(const SlotPtr& slot);
  void destroy(Lock& lock, const SlotPtr& slot);

  void run_loads();
  void load_next(Lock& lock);
  std::unique_ptr<ModelRuntime> load_runtime(Load& load, std::uint64_t kv_bytes);  // unlocked
  void fail(Lock& lock, const std::shared_ptr<Load>& load, const ServiceError& error);
  struct Room {
    std::uint64_t kv_bytes = 0;
    std::uint64_t media_bytes = 0;
  };
  std::optional<Room> make_room(Lock& lock, const Load& load, const MemoryNeed& need);
  void finish_load(Lock& lock, const std::shared_ptr<Load>& load, const SlotPtr& slot);
  std::uint64_t used_bytes() const;
  SlotPtr longest_unused(bool idle) const;

  void run_timer();
  bool fire_due(Lock& lock);
  double next_due() const;

  PoolOptions options_;
  RuntimeLoader& loader_;
  ServingObserver& observer_;

  mutable std::mutex mutex_;
  std::condition_variable loads_changed_;  // for the loading thread
  std::condition_variable timer_changed_;  // for the timer
  std::vector<SlotPtr> slots_;             // in memory
  std::vector<SlotPtr> leaving_;           // being destroyed
  std::deque<std::shared_ptr<Load>> loads_;
  std::size_t n_waiting_ = 0;
  WaitId next_wait_ = 1;
  bool refusing_ = false;
  bool stopping_ = false;
  std::thread loading_thread_;
  std::thread timer_thread_;
};

}  // namespace pleiad::serving
