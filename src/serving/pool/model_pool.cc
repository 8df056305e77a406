#include "serving/pool/model_pool.h"

#include <stdlib.h>  // defines __GLIBC__ where it is glibc's

#ifdef __GLIBC__
#  include <malloc.h>
#endif

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

#include "base/check.h"
#include "serving/pool/pool_slot.h"
#include "serving/request_error.h"

namespace pleiad::serving {
namespace {

/// Keys and values lie in small blocks in the heap of the engine's thread, which glibc keeps from
/// the first to the last one in use: of a model that has gone nearly all would stay resident.
void give_back_free_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

}  // namespace

ModelLease::ModelLease(ModelPool& pool, std::shared_ptr<PoolSlot> slot, Use use)
    : pool_(pool), slot_(std::move(slot)), use_(use) {}

ModelLease::~ModelLease() { pool_.release(slot_, use_); }

ModelRuntime& ModelLease::runtime() const { return *slot_->runtime; }

ModelPool::ModelPool(PoolOptions options, RuntimeLoader& loader, ServingObserver& observer)
    : options_(std::move(options)), loader_(loader), observer_(observer) {
  loading_thread_ = std::thread([this] { run_loads(); });
  timer_thread_ = std::thread([this] { run_timer(); });
}

ModelPool::~ModelPool() { stop(); }

ModelPool::SlotPtr ModelPool::usable_slot(const store::ModelEntry& entry,
                                          const std::optional<FileStamp>& stamp) {
  for (const SlotPtr& slot : slots_) {
    if (!slot->entry.same_files(entry) || slot->retired) continue;
    // A file that has gone cannot be read again; what is loaded still answers.
    if (slot->runtime->is_usable() && (!stamp || slot->stamp == stamp)) return slot;
    retire(slot);
    break;
  }
  return nullptr;
}

ModelPool::Lease ModelPool::lease(const SlotPtr& slot, const std::optional<KeepAlive>& keep_alive,
                                  ModelLease::Use use) {
  ++slot->users;
  slot->last_used = now();
  if (keep_alive) slot->keep_alive_seconds = keep_alive->seconds;
  return std::make_shared<ModelLease>(*this, slot, use);
}

ModelPool::Lease ModelPool::look(const SlotPtr& slot) {
  ++slot->users;
  return std::make_shared<ModelLease>(*this, slot, ModelLease::Use::look);
}

ModelPool::WaitId ModelPool::acquire(const store::ModelEntry& entry,
                                     std::optional<KeepAlive> keep_alive, double deadline,
                                     Ready ready, bool goes_on) {
  const std::optional<FileStamp> stamp = file_stamp(entry.path, entry.projector);
  Lock lock(mutex_);
  const WaitId id = next_wait_++;
  const auto refuse = [&](const ServiceError& error) {
    lock.unlock();
    ready(error);
    return id;
  };
  if (refusing_) return refuse(shutting_down_error());

  const SlotPtr slot = usable_slot(entry, stamp);
  const auto queued = std::find_if(loads_.begin(), loads_.end(), [&](const auto& load) {
    return load->entry.same_files(entry) && !load->retire;
  });
  if (slot && !slot->draining && queued == loads_.end()) {
    slot->entry = entry;
    Lease granted = lease(slot, keep_alive, ModelLease::Use::at_once);
    lock.unlock();
    ready(std::move(granted));
    return id;
  }
  if (!goes_on && n_waiting_ >= options_.max_waiting) return refuse(busy_error());
  ++n_waiting_;
  Waiter waiter{id, deadline, keep_alive, std::move(ready)};
  if (queued != loads_.end()) {
    (*queued)->waiters.push_back(std::move(waiter));
  } else {
    auto load = std::make_shared<Load>();
    load->entry = entry;
    load->stamp = stamp;
    load->waiters.push_back(std::move(waiter));
    loads_.push_back(std::move(load));
    loads_changed_.notify_all();
  }
  timer_changed_.notify_all();
  return id;
}

bool ModelPool::cancel(WaitId id) {
  const std::lock_guard guard(mutex_);
  for (const auto& load : loads_) {
    const auto found = std::find_if(load->waiters.begin(), load->waiters.end(),
                                    [&](const Waiter& waiter) { return waiter.id == id; });
    if (found == load->waiters.end()) continue;
    load->waiters.erase(found);
    --n_waiting_;
    loads_changed_.notify_all();
    return true;
  }
  return false;
}

void ModelPool::release(const SlotPtr& slot, ModelLease::Use use) {
  const std::lock_guard guard(mutex_);
  --slot->users;
  if (use != ModelLease::Use::look) slot->last_used = now();
  if (!slot->runtime->is_usable()) slot->retired = true;  // its file has changed
  loads_changed_.notify_all();
  timer_changed_.notify_all();
}

void ModelPool::retire(const SlotPtr& slot) {
  slot->retired = true;
  timer_changed_.notify_all();
}

void ModelPool::unload(const std::filesystem::path& path, std::function<void()> done) {
  // As many as there are of it: with other projectors, and those that leave already.
  const auto n_left = std::make_shared<std::atomic<std::size_t>>(1);
  const auto one_is_gone = [n_left, done = std::move(done)] {
    if (--*n_left == 0) done();
  };
  {
    const std::lock_guard guard(mutex_);
    for (const auto& load : loads_) {
      if (load->entry.path != path) continue;
      load->retire = true;
      ++*n_left;
      load->when_gone.emplace_back(one_is_gone);
    }
    for (const auto* list : {&slots_, &leaving_}) {
      for (const SlotPtr& slot : *list) {
        if (slot->entry.path != path) continue;
        if (list == &slots_) retire(slot);
        ++*n_left;
        slot->when_gone.emplace_back(one_is_gone);
      }
    }
  }
  one_is_gone();
}

ModelPool::Lease ModelPool::find_loaded(const store::ModelEntry& entry) {
  const std::lock_guard guard(mutex_);
  if (refusing_ || stopping_) return nullptr;  // what is idle then stays so
  for (const SlotPtr& slot : slots_) {
    if (!slot->entry.same_files(entry) || slot->retired || !slot->runtime->is_usable()) continue;
    return look(slot);
  }
  return nullptr;
}

LoadedInfo ModelPool::describe(const SlotPtr& slot) const {
  LoadedInfo info;
  info.entry = slot->entry;
  const bool leaves = slot->retired || slot->draining || !slot->runtime;
  info.state = leaves ? LoadedInfo::State::unloading : LoadedInfo::State::ready;
  info.memory_bytes = slot->weight_bytes;
  info.loaded_bytes = info.total_bytes = slot->weight_bytes;
  const double left = slot->idle() ? slot->expires() - now() : slot->keep_alive_seconds;
  info.expires_in_seconds =
      slot->retired || slot->keep_alive_seconds == 0 ? -1 : std::max(left, 0.0);
  return info;
}

std::vector<LoadedInfo> ModelPool::loaded() {
  std::vector<LoadedInfo> infos;
  std::vector<Lease> leases;  // of the first ones
  {
    const std::lock_guard guard(mutex_);
    for (const SlotPtr& slot : slots_) {
      infos.push_back(describe(slot));
      leases.push_back(look(slot));
    }
    for (const SlotPtr& slot : leaving_) infos.push_back(describe(slot));
    for (const auto& load : loads_) {
      LoadedInfo info;
      info.entry = load->entry;
      info.state = LoadedInfo::State::loading;
      info.loaded_bytes = load->done_bytes;
      info.total_bytes = load->total_bytes;
      info.expires_in_seconds = options_.keep_alive_seconds;
      infos.push_back(std::move(info));
    }
  }
  // An engine may be busy telling somebody who waits for this pool.
  for (std::size_t i = 0; i < leases.size(); ++i) {
    const ModelRuntime& runtime = leases[i]->runtime();
    infos[i].engine = runtime.stats();
    infos[i].context_length = runtime.context_length();
    const EngineStats& engine = infos[i].engine;
    infos[i].memory_bytes += engine.kv_bytes_running + engine.kv_bytes_cached;
    infos[i].memory_bytes += engine.tower_bytes + engine.encodings_bytes;
  }
  return infos;
}

/// Its threads are joined and its memory freed while nobody waits for the lock.
void ModelPool::destroy(Lock& lock, const SlotPtr& slot) {
  CHECK(slot->idle());
  std::erase(slots_, slot);
  leaving_.push_back(slot);
  std::unique_ptr<ModelRuntime> runtime = std::move(slot->runtime);
  lock.unlock();
  runtime.reset();
  give_back_free_memory();
  observer_.unloaded(slot->entry.name);
  lock.lock();
  std::erase(leaving_, slot);
  loads_changed_.notify_all();
  const auto when_gone = std::exchange(slot->when_gone, {});
  lock.unlock();
  for (const auto& told : when_gone) {
    try {
      told();
    } catch (...) {  // its own affair
    }
  }
  lock.lock();
}

void ModelPool::refuse_waiting() {
  Lock lock(mutex_);
  refusing_ = true;
  while (!loads_.empty()) {
    const auto load = loads_.front();
    fail(lock, load, shutting_down_error());
  }
  loads_changed_.notify_all();
}

void ModelPool::stop() {
  refuse_waiting();
  {
    const std::lock_guard guard(mutex_);
    if (std::exchange(stopping_, true)) return;
  }
  loads_changed_.notify_all();
  timer_changed_.notify_all();
  loading_thread_.join();
  timer_thread_.join();
  Lock lock(mutex_);
  timer_changed_.wait(lock, [&] {
    return std::all_of(slots_.begin(), slots_.end(), [](const auto& slot) { return slot->idle(); });
  });
  while (!slots_.empty()) destroy(lock, SlotPtr(slots_.front()));
}

}  // namespace pleiad::serving
