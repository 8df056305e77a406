#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace pleiad::serving {

/// A few threads for work that is too long for an HTTP or an engine thread:
/// finding models, rendering and encoding prompts.
class WorkPool {
 public:
  explicit WorkPool(int n_threads);
  /// Does what was handed in, then stops.
  ~WorkPool();
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  /// In the order of asking, each on one of the threads; must not throw.
  void post(std::function<void()> task);

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace pleiad::serving
