#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace pleiad::api {

/// A few threads for what handlers must not wait for: reading the heads of model
/// files, writing manifests. Tasks begin in the order in which they came.
class Worker {
 public:
  explicit Worker(int threads = 2);
  /// Waits for the tasks that run; those that have not begun are dropped.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// `task` must not throw.
  void post(std::function<void()> task);

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace pleiad::api
