#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace pleiad::serving {

/// How long something waits to be computed.
enum class Stay : std::uint8_t {
  brief,    // until its request's turn comes
  lasting,  // while what stands before it in the same sound is answered, which may take its hour
};

/// Memory for pixels and samples that wait to be computed, of all requests together; those of one
/// caller may take half of it, and as much again with what stays for long. All of that together may
/// take three quarters: long sounds leave room for pictures. Threads share it.
class WaitingMemory {
 public:
  explicit WaitingMemory(std::uint64_t bytes) : bytes_(bytes) {}
  WaitingMemory(const WaitingMemory&) = delete;
  WaitingMemory& operator=(const WaitingMemory&) = delete;

  /// False where there is not enough left.
  bool take(std::uint64_t caller, std::uint64_t bytes, Stay stay = Stay::brief) {
    if (bytes == 0) return true;  // of which nothing is given back
    const std::lock_guard guard(mutex_);
    const auto found = by_caller_.find({caller, stay});
    const std::uint64_t of_caller = found == by_caller_.end() ? 0 : found->second;
    if (bytes > bytes_ - used_ || bytes + of_caller > bytes_ / 2) return false;
    if (stay == Stay::lasting && bytes + lasting_ > bytes_ / 4 * 3) return false;
    by_caller_[{caller, stay}] = of_caller + bytes;
    used_ += bytes;
    if (stay == Stay::lasting) lasting_ += bytes;
    return true;
  }
  void give_back(std::uint64_t caller, std::uint64_t bytes, Stay stay = Stay::brief) {
    const std::lock_guard guard(mutex_);
    used_ -= bytes;
    if (stay == Stay::lasting) lasting_ -= bytes;
    const auto found = by_caller_.find({caller, stay});
    if ((found->second -= bytes) == 0) by_caller_.erase(found);
  }

 private:
  const std::uint64_t bytes_;
  std::mutex mutex_;  // guards what follows
  std::uint64_t used_ = 0;
  std::uint64_t lasting_ = 0;                                          // of these
  std::map<std::pair<std::uint64_t, Stay>, std::uint64_t> by_caller_;  // those that use some
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
                                             std::uint64_t caller, std::uint64_t bytes, auto&& make,
                                             Stay stay = Stay::brief) {
    const auto held = std::make_shared<Waiting>(memory, caller, stay);
    if (!memory->take(caller, bytes, stay)) return nullptr;
    held->bytes_ = bytes;
    held->content_ = make();
    return {held, &held->content_};
  }

  Waiting(std::shared_ptr<WaitingMemory> memory, std::uint64_t caller, Stay stay)
      : memory_(std::move(memory)), caller_(caller), stay_(stay) {}
  ~Waiting() {
    if (bytes_ > 0) memory_->give_back(caller_, bytes_, stay_);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  const std::shared_ptr<WaitingMemory> memory_;
  const std::uint64_t caller_;
  const Stay stay_;
  std::uint64_t bytes_ = 0;  // that were taken
  Content content_;
};

}  // namespace pleiad::serving
