#include "base/work_pool.h"

#include <utility>

namespace pleiad {

WorkPool::WorkPool(int n_threads, AtEnd at_end) : at_end_(at_end) {
  for (int i = 0; i < n_threads; ++i) threads_.emplace_back([this] { run(); });
}

WorkPool::~WorkPool() {
  std::deque<std::function<void()>> dropped;  // and destroyed outside of the lock
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
    if (at_end_ == AtEnd::drop) dropped.swap(tasks_);
  }
  changed_.notify_all();
  dropped.clear();
  for (std::thread& thread : threads_) thread.join();
}

void WorkPool::post(std::function<void()> task) {
  {
    const std::lock_guard guard(mutex_);
    if (stopping_ && at_end_ == AtEnd::drop) return;
    tasks_.push_back(std::move(task));
  }
  changed_.notify_one();
}

void WorkPool::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopping_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    try {
      task();
    } catch (...) {
    }
    task = nullptr;  // what it holds goes before the next is waited for
    lock.lock();
  }
}

}  // namespace pleiad
