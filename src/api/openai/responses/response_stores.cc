#include "api/openai/responses/response_stores.h"

#include <utility>
#include <vector>

namespace pleiad::api::openai {

ResponseStore& ResponseStores::of(std::uint64_t key) {
  const std::lock_guard lock(mutex_);
  return stores_.try_emplace(key, max_bytes_).first->second;
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

void ResponseStores::add(const http::Caller& caller,
                         std::shared_ptr<const StoredResponse> response) {
  of(caller.key).add(std::move(response));
}

bool ResponseStores::remove(const http::Caller& caller, const std::string& id) {
  return first_found(caller, [&](ResponseStore& store) { return store.remove(id); });
}

}  // namespace pleiad::api::openai
