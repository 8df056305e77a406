#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace pleiad {

/// A few threads for what their callers must not wait for: files, long texts.
class WorkPool {
 public:
  /// What happens at the end to tasks that have not begun.
  enum class AtEnd : std::uint8_t { finish, drop };

  explicit WorkPool(int n_threads, AtEnd at_end = AtEnd::finish);
  /// Waits for the tasks that run, and for the others unless they are dropped.
  ~WorkPool();
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  /// Tasks begin in the order in which they came. They see to their own failures;
  /// what one throws is lost and ends nothing else.
  void post(std::function<void()> task);

 private:
  void run();

  const AtEnd at_end_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace pleiad
