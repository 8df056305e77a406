#include "backend/cpu/thread_pool.h"

#include <algorithm>
#include <system_error>

#include "base/error.h"

namespace pleiad::cpu {
namespace {

constexpr int kSpins = 4000;  // about 100 microseconds of pauses

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

ThreadPool::ThreadPool(int n_threads, void* idle_context, Idle idle)
    : idle_context_(idle_context),
      idle_(idle),
      parts_(static_cast<std::size_t>(std::max(n_threads, 1))) {
  try {
    for (int worker = 1; worker < n_threads; ++worker) {
      workers_.emplace_back([this, worker] { work(worker); });
    }
  } catch (const std::system_error& error) {
    const int started = size();
    stop();
    throw Error("cannot start {} threads, only {}: {}", n_threads, started, error.code().message());
  }
}

ThreadPool::~ThreadPool() { stop(); }

void ThreadPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    round_.fetch_add(1);
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
}

void ThreadPool::run_erased(std::int64_t n_tasks, const void* context, Call call) {
  if (n_tasks <= 0) return;
  if (workers_.empty() || n_tasks == 1) {
    for (std::int64_t index = 0; index < n_tasks; ++index) call(context, index, 0);
    return;
  }
  context_ = context;
  call_ = call;
  const auto n_parts = static_cast<std::int64_t>(parts_.size());
  for (std::int64_t i = 0; i < n_parts; ++i) {
    Part& part = parts_[static_cast<std::size_t>(i)];
    part.next.store(n_tasks * i / n_parts, std::memory_order_relaxed);
    part.end = n_tasks * (i + 1) / n_parts;
  }
  busy_.store(static_cast<int>(workers_.size()), std::memory_order_relaxed);
  round_.fetch_add(1);  // publishes all of the above
  if (sleeping_.load() > 0) {
    const std::lock_guard lock(mutex_);
    wake_.notify_all();
  }
  take_tasks(0);
  // Workers are at their last task, or have yet to see that nothing is left.
  for (int spins = 0; busy_.load(std::memory_order_acquire) != 0; ++spins) {
    if (spins < kSpins) {
      wait_a_moment(0);
    } else {
      std::this_thread::yield();
    }
  }
}

void ThreadPool::wait_a_moment(int worker) noexcept {
  if (!idle_ || !idle_(idle_context_, worker)) pause();
}

void ThreadPool::take_tasks(int worker) noexcept {
  const std::size_t n_parts = parts_.size();
  for (std::size_t i = 0; i < n_parts; ++i) {
    Part& part = parts_[(static_cast<std::size_t>(worker) + i) % n_parts];
    for (;;) {
      const std::int64_t index = part.next.fetch_add(1, std::memory_order_relaxed);
      if (index >= part.end) break;
      call_(context_, index, worker);
    }
  }
}

void ThreadPool::work(int worker) noexcept {
  std::uint64_t seen = 0;
  for (;;) {
    for (int spins = 0; round_.load() == seen && spins < kSpins; ++spins) wait_a_moment(worker);
    if (round_.load() == seen) {
      std::unique_lock lock(mutex_);
      sleeping_.fetch_add(1);
      wake_.wait(lock, [&] { return round_.load() != seen; });
      sleeping_.fetch_sub(1);
    }
    seen = round_.load();
    if (stopping_) return;
    take_tasks(worker);
    busy_.fetch_sub(1, std::memory_order_release);
  }
}

}  // namespace pleiad::cpu
