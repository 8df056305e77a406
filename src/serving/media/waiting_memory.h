#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace pleiad::serving {

/// Memory for pixels and samples that wait to be computed, of all requests together; those of one
/// caller may take half of it. Threads share it.
class WaitingMemory {
 public:
  explicit WaitingMemory(std::uint64_t bytes) : bytes_(bytes) {}
  WaitingMemory(const WaitingMemory&) = delete;
  WaitingMemory& operator=(const WaitingMemory&) = delete;

  /// False where there is not enough left.
  bool take(std::uint64_t caller, std::uint64_t bytes) {
    if (bytes == 0) return true;  // of which nothing is given back
    const std::lock_guard guard(mutex_);
    const auto found = by_caller_.find(caller);
    const std::uint64_t of_caller = found == by_caller_.end() ? 0 : found->second;
    if (bytes > bytes_ - used_ || bytes + of_caller > bytes_ / 2) return false;
    by_caller_[caller] = of_caller + bytes;
    used_ += bytes;
    return true;
  }
  void give_back(std::uint64_t caller, std::uint64_t bytes) {
    const std::lock_guard guard(mutex_);
    used_ -= bytes;
    const auto found = by_caller_.find(caller);
    if ((found->second -= bytes) == 0) by_caller_.erase(found);
  }

 private:
  const std::uint64_t bytes_;
  std::mutex mutex_;  // guards what follows
  std::uint64_t used_ = 0;
  std::map<std::uint64_t, std::uint64_t> by_caller_;  // those that use some
};

/// How much that is where so much memory is available: a sixteenth, 1 GiB at most.
constexpr std::uint64_t waiting_memory_bytes(std::uint64_t available) {
  return std::min(available / 16, std::uint64_t{1} << 30);
}

/// A share of it, with what lies there.
template <typename Content>
class Waiting {
 public:
  /// Null where there is not enough memory left.
  static std::shared_ptr<const Content> hold(const std::shared_ptr<WaitingMemory>& memory,
                                             std::uint64_t caller, std::uint64_t bytes,
                                             auto&& make) {
    const auto held = std::make_shared<Waiting>(memory, caller);
    if (!memory->take(caller, bytes)) return nullptr;
    held->bytes_ = bytes;
    held->content_ = make();
    return {held, &held->content_};
  }

  Waiting(std::shared_ptr<WaitingMemory> memory, std::uint64_t caller)
      : memory_(std::move(memory)), caller_(caller) {}
  ~Waiting() {
    if (bytes_ > 0) memory_->give_back(caller_, bytes_);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  const std::shared_ptr<WaitingMemory> memory_;
  const std::uint64_t caller_;
  std::uint64_t bytes_ = 0;  // that were taken
  Content content_;
};

}  // namespace pleiad::serving
