#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "api/openai/responses/response_store.h"
#include "http/request.h"

namespace pleiad::api::openai {

/// A store for each key: what one key keeps is not known to another, and not given up for
/// what another keeps. Those who see all find what anybody keeps. Threads may share it.
class ResponseStores {
 public:
  /// `limits` of each.
  explicit ResponseStores(StoreLimits limits, StoreClock clock = steady_seconds)
      : limits_(limits), clock_(std::move(clock)) {}

  /// Null: the caller has none of this name, whether anybody else has or not.
  std::shared_ptr<const StoredResponse> find(const http::Caller& caller, const std::string& id);
  /// Likewise a turn with an item of this id.
  std::shared_ptr<const StoredResponse> find_item(const http::Caller& caller,
                                                  const std::string& id);
  /// Whether a key's store can keep it at all, with `n_more` bytes.
  bool fits(const StoredResponse& response, std::size_t n_more = 0) const {
    return limits_.fits(response, n_more);
  }
  /// Among those of a key.
  void add(std::uint64_t key, std::shared_ptr<const StoredResponse> response);
  /// False where find() would give null.
  bool remove(const http::Caller& caller, const std::string& id);

 private:
  ResponseStore& of(std::uint64_t key);
  /// Asks the caller's own store, and then those of others that he may see.
  template <typename Ask>
  auto first_found(const http::Caller& caller, Ask&& ask);

  const StoreLimits limits_;
  const StoreClock clock_;
  std::mutex mutex_;
  std::map<std::uint64_t, ResponseStore> stores_;  // by key; stays where it is
};

}  // namespace pleiad::api::openai
