#include "api/openai/responses/response_stores.h"

#include <utility>
#include <vector>

namespace pleiad::api::openai {

/// Whoever comes, nothing of anybody is kept beyond its time.
ResponseStore& ResponseStores::of(std::uint64_t key) {
  const std::lock_guard lock(mutex_);
  for (auto& [other, store] : stores_) store.expire();
  return stores_.try_emplace(key, limits_, clock_).first->second;
}

template <typename Ask>
auto ResponseStores::first_found(const http::Caller& caller, Ask&& ask) {
  auto found = ask(of(caller.key));
  if (found || !caller.sees_all) return found;
  std::vector<ResponseStore*> others;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [key, store] : stores_) {
      if (key != caller.key) others.push_back(&store);
    }
  }
  for (ResponseStore* other : others) {
    if ((found = ask(*other))) break;
  }
  return found;
}

std::shared_ptr<const StoredResponse> ResponseStores::find(const http::Caller& caller,
                                                           const std::string& id) {
  return first_found(caller, [&](ResponseStore& store) { return store.find(id); });
}

std::shared_ptr<const StoredResponse> ResponseStores::find_item(const http::Caller& caller,
                                                                const std::string& id) {
  return first_found(caller, [&](ResponseStore& store) { return store.find_item(id); });
}

void ResponseStores::add(std::uint64_t key, std::shared_ptr<const StoredResponse> response) {
  of(key).add(std::move(response));
}

bool ResponseStores::remove(const http::Caller& caller, const std::string& id) {
  return first_found(caller, [&](ResponseStore& store) { return store.remove(id); });
}

}  // namespace pleiad::api::openai
