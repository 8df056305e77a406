#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace pleiad::cpu {

/// A fixed set of threads that run numbered tasks together with the caller.
/// Between calls they spin for a moment (the next layer comes within
/// microseconds), then sleep.
class ThreadPool {
 public:
  /// Called over and over by threads that wait for others, with their number; false
  /// when there is nothing to do.
  using Idle = bool (*)(void* context, int worker);

  /// n_threads counts the caller: 1 starts no thread. Throws Error when the
  /// system does not give so many. `idle_context` has to outlive the pool.
  explicit ThreadPool(int n_threads, void* idle_context = nullptr, Idle idle = nullptr);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return static_cast<int>(workers_.size()) + 1; }

  /// The task of n that a thread begins with.
  std::int64_t first_task(std::int64_t n_tasks, int worker) const {
    return n_tasks * worker / size();
  }

  /// Runs task(index, worker) for every index in [0, n_tasks), each once, on
  /// any thread (worker in [0, size())), and returns when all are done. Each
  /// thread begins with a contiguous part, in order, so that it reads memory in
  /// one stream; who has finished helps the others. A task that throws ends the
  /// program. Not reentrant; one caller at a time.
  template <typename Task>
  void run(std::int64_t n_tasks, const Task& task) {
    run_erased(n_tasks, &task, [](const void* context, std::int64_t index, int worker) {
      (*static_cast<const Task*>(context))(index, worker);
    });
  }

 private:
  using Call = void (*)(const void* context, std::int64_t index, int worker);

  void run_erased(std::int64_t n_tasks, const void* context, Call call);
  void work(int worker) noexcept;
  void take_tasks(int worker) noexcept;
  void stop();
  void wait_a_moment(int worker) noexcept;

  void* const idle_context_;  // known before the first thread starts
  const Idle idle_;
  std::vector<std::thread> workers_;
  const void* context_ = nullptr;
  Call call_ = nullptr;
  /// The part of the tasks that a thread begins with.
  struct alignas(64) Part {
    std::atomic<std::int64_t> next{0};
    std::int64_t end = 0;
  };
  std::vector<Part> parts_;
  alignas(64) std::atomic<std::uint64_t> round_{0};  // grows with every run()
  alignas(64) std::atomic<int> busy_{0};             // workers that have not finished this round
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<int> sleeping_{0};
};

}  // namespace pleiad::cpu
