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
  /// `max_bytes` of each.
  explicit ResponseStores(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// Null: the caller has none of this name, whether anybody else has or not.
  std::shared_ptr<const StoredResponse> find(const http::Caller& caller, const std::string& id);
  /// Among the caller's own.
  void add(const http::Caller& caller, std::shared_ptr<const StoredResponse> response);
  /// False where find() would give null.
  bool remove(const http::Caller& caller, const std::string& id);

 private:
  ResponseStore& of(std::uint64_t key);
  /// Asks the caller's own store, and then those of others that he may see.
  template <typename Ask>
  auto first_found(const http::Caller& caller, Ask&& ask);

  const std::size_t max_bytes_;
  std::mutex mutex_;
  std::map<std::uint64_t, ResponseStore> stores_;  // by key; stays where it is
};

}  // namespace pleiad::api::openai
