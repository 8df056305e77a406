#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/text_format.h"
#include "serving/pool/model_pool.h"
#include "serving/pool/pool_slot.h"
#include "serving/request_error.h"

namespace pleiad::serving {

namespace {

/// What one listener throws is its own affair: the pool's threads go on.
template <typename Listener, typename... News>
void tell(const Listener& listener, News&&... news) {
  try {
    listener(std::forward<News>(news)...);
  } catch (...) {
  }
}

/// As a client hears it; our own mistakes stay in the log.
ServiceError load_error(const std::exception& error) {
  ServiceError told = as_service_error(error);
  if (told.code != ServiceError::Code::internal) return told;
  if (dynamic_cast<const InternalError*>(&error)) told = for_client(told);
  told.code = ServiceError::Code::load_failed;
  return told;
}

}  // namespace

void ModelPool::run_loads() {
  Lock lock(mutex_);
  for (;;) {
    loads_changed_.wait(lock, [&] { return stopping_ || !loads_.empty(); });
    if (stopping_) return;
    load_next(lock);
    // Whoever made room for it may be used again.
    for (const SlotPtr& slot : slots_) slot->draining = false;
  }
}

void ModelPool::load_next(Lock& lock) {
  const std::shared_ptr<Load> load = loads_.front();
  const double started = now();
  // It may have stayed after all, while this waited behind another.
  for (const SlotPtr& slot : slots_) {
    if (slot->entry.same_files(load->entry) && !slot->retired && slot->stamp == load->stamp &&
        slot->runtime->is_usable()) {
      return finish_load(lock, load, slot);
    }
  }
  try {
    lock.unlock();
    const MemoryNeed need = loader_.need(load->entry);
    lock.lock();
    const std::optional<Room> room = make_room(lock, *load, need);
    if (!room) return fail(lock, load, shutting_down_error());  // to nobody, mostly
    load->total_bytes = need.weight_bytes;
    lock.unlock();
    auto slot = std::make_shared<Slot>();
    slot->entry = load->entry;
    slot->stamp = load->stamp;
    slot->weight_bytes = need.weight_bytes;
    slot->kv_bytes = room->kv_bytes;
    slot->media_bytes = room->media_bytes;
    slot->keep_alive_seconds = options_.keep_alive_seconds;
    slot->runtime = load_runtime(*load, room->kv_bytes);
    lock.lock();
    slots_.push_back(slot);
    finish_load(lock, load, slot);
  } catch (const std::exception& error) {
    if (lock.owns_lock()) lock.unlock();
    observer_.load_finished(load->entry.name, now() - started, error.what());
    lock.lock();
    fail(lock, load, load_error(error));
  }
}

std::unique_ptr<ModelRuntime> ModelPool::load_runtime(Load& load, std::uint64_t kv_bytes) {
  const double started = now();
  observer_.load_started(load.entry.name);
  const auto progress = [&](std::uint64_t done, std::uint64_t total) {
    const std::lock_guard guard(mutex_);
    load.done_bytes = done;
    load.total_bytes = total;
    if (refusing_) throw RequestError(shutting_down_error());
  };
  std::unique_ptr<ModelRuntime> runtime = loader_.load(load.entry, kv_bytes, progress);
  observer_.load_finished(load.entry.name, now() - started, {});
  return runtime;
}

void ModelPool::finish_load(Lock& lock, const std::shared_ptr<Load>& load, const SlotPtr& slot) {
  std::erase(loads_, load);
  slot->last_used = now();
  std::vector<std::pair<Ready, Lease>> granted;
  for (Waiter& waiter : load->waiters) {
    granted.emplace_back(std::move(waiter.ready),
                         lease(slot, waiter.keep_alive, ModelLease::Use::after_a_wait));
  }
  n_waiting_ -= load->waiters.size();
  load->waiters.clear();
  for (auto& told : load->when_gone) slot->when_gone.push_back(std::move(told));
  if (load->retire) retire(slot);
  timer_changed_.notify_all();
  lock.unlock();
  for (auto& [ready, model] : granted) tell(ready, std::move(model));
  granted.clear();  // releases, which locks
  lock.lock();
}

void ModelPool::fail(Lock& lock, const std::shared_ptr<Load>& load, const ServiceError& error) {
  std::erase(loads_, load);
  const std::vector<Waiter> waiters = std::exchange(load->waiters, {});
  const auto when_gone = std::exchange(load->when_gone, {});
  n_waiting_ -= waiters.size();
  lock.unlock();
  for (const Waiter& waiter : waiters) tell(waiter.ready, error);
  for (const auto& told : when_gone) tell(told);
  lock.lock();
}

std::uint64_t ModelPool::used_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto* list : {&slots_, &leaving_}) {
    for (const SlotPtr& slot : *list) {
      bytes += slot->weight_bytes + slot->kv_bytes + slot->media_bytes;
    }
  }
  return bytes;
}

ModelPool::SlotPtr ModelPool::longest_unused(bool idle) const {
  SlotPtr found;
  for (const SlotPtr& slot : slots_) {
    if (slot->idle() != idle) continue;
    if (!found || slot->last_used < found->last_used) found = slot;
  }
  return found;
}

/// Bytes for keys and values and for media, once there is room (for media as far as there is, for
/// the towers as far as there would be without other models); nothing when nobody waits for the
/// model any more. Throws RequestError where there never will be.
std::optional<ModelPool::Room> ModelPool::make_room(Lock& lock, const Load& load,
                                                    const MemoryNeed& need) {
  const std::uint64_t least_kv = options_.kv_bytes ? options_.kv_bytes : need.least_kv_bytes;
  const std::uint64_t least = need.weight_bytes + least_kv;
  if (least > options_.memory_bytes) {
    throw RequestError(
        ServiceError::Code::load_failed,
        fmt::format("{} needs {} of memory ({} for keys and values); models may take {}",
                    load.entry.name, format_bytes(least), format_bytes(least_kv),
                    format_bytes(options_.memory_bytes)));
  }
  const std::uint64_t towers = std::min(need.tower_bytes, options_.memory_bytes - least);
  for (;;) {
    if (refusing_ || load.waiters.empty()) return std::nullopt;
    const std::uint64_t used = used_bytes();
    const std::size_t count = slots_.size() + leaving_.size();
    const bool may_be_more =
        options_.max_loaded_models <= 0 || count < std::size_t(options_.max_loaded_models);
    if (may_be_more && used <= options_.memory_bytes &&
        least + towers <= options_.memory_bytes - used) {
      const std::uint64_t free = options_.memory_bytes - used - need.weight_bytes;
      const std::uint64_t media = std::min(need.tower_bytes + need.media_bytes, free - least_kv);
      if (options_.kv_bytes) return Room{options_.kv_bytes, media};
      const std::uint64_t kv = std::min((free - media) / 2, need.most_kv_bytes);
      return Room{std::max(least_kv, kv), media};
    }
    if (const SlotPtr idle = longest_unused(true)) {
      destroy(lock, idle);
      continue;
    }
    // All are in use. One of them gets no new requests until it has made room, or it
    // might never be idle.
    const bool one_leaves =
        !leaving_.empty() || std::any_of(slots_.begin(), slots_.end(), [](const SlotPtr& slot) {
          return slot->draining || slot->retired;
        });
    if (!one_leaves) longest_unused(false)->draining = true;
    loads_changed_.wait(lock);
  }
}

}  // namespace pleiad::serving
