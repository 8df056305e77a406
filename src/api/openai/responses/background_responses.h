#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "api/openai/responses/response_store.h"
#include "http/request.h"

namespace pleiad::api::openai {

/// A response that is being made while nobody need wait for it ("background": true). Threads may
/// share it.
class BackgroundResponse {
 public:
  /// `draft`: the response as it is kept where it ends at once.
  BackgroundResponse(std::uint64_t key, StoredResponse draft);

  const std::string& id() const { return draft_.id; }
  std::uint64_t key() const { return key_; }
  /// What is held for it: its request as text and as values, the turns before it as values.
  std::size_t n_bytes() const { return n_bytes_; }

  /// As it is now.
  StoredResponse snapshot() const;
  /// Under way: `body` says so.
  void progress(std::string body);
  /// What ends the work; called at once where the response has been cancelled already.
  void on_cancel(std::function<void()> cancel);
  /// True for the first who asks: it says how the response ended, which `keep` keeps, and nobody
  /// else does. Others wait until `keep` has come back, or thrown.
  template <typename Keep>
  bool end(Keep&& keep) {
    const std::lock_guard lock(end_mutex_);
    if (!take_end()) return false;
    std::forward<Keep>(keep)();
    return true;
  }
  /// After end(): nobody wants the answer any more.
  void cancel();

 private:
  bool take_end();

  const std::uint64_t key_;
  const std::size_t n_bytes_;
  std::mutex end_mutex_;  // of who ends it; before all others
  mutable std::mutex mutex_;
  StoredResponse draft_;  // its id and items stay as they are
  std::function<void()> cancel_;
  bool ended_ = false;
  bool cancelled_ = false;
};

/// Those that are under way, a limited number for each key. Threads may share it.
class BackgroundResponses {
 public:
  static constexpr std::size_t kMostOfKey = 16;

  /// A key's responses hold `max_bytes` at most, or there is one of them.
  explicit BackgroundResponses(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// Null where the key has too many under way.
  std::shared_ptr<BackgroundResponse> begin(std::uint64_t key, StoredResponse draft);
  /// Null: the caller has none of this name under way, whether anybody else has or not.
  std::shared_ptr<BackgroundResponse> find(const http::Caller& caller, const std::string& id) const;
  /// It has ended.
  void remove(const BackgroundResponse& response);

 private:
  struct Load {
    std::size_t n = 0;
    std::size_t n_bytes = 0;
  };

  const std::size_t max_bytes_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<BackgroundResponse>, std::less<>> responses_;
  std::map<std::uint64_t, Load> loads_;  // by key
};

}  // namespace pleiad::api::openai
