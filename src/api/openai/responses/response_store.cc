#include "api/openai/responses/response_store.h"

#include <utility>

namespace pleiad::api::openai {

std::size_t StoredResponse::bytes() const {
  constexpr std::size_t kBookkeeping = 512;  // the object, its entry, its place in the order
  return kBookkeeping + id.capacity() + body.capacity() + input_items.capacity() +
         output_items.capacity();
}

std::shared_ptr<const StoredResponse> ResponseStore::find(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto entry = entries_.find(id);
  if (entry == entries_.end()) return nullptr;
  recency_.splice(recency_.begin(), recency_, entry->second.place);
  return entry->second.response;
}

void ResponseStore::add(std::shared_ptr<const StoredResponse> response) {
  const std::lock_guard lock(mutex_);
  if (entries_.count(response->id) > 0) return;
  hold(response.get());
  recency_.push_front(response->id);
  const std::string& id = response->id;
  entries_.emplace(id, Entry{std::move(response), recency_.begin()});
  while (bytes_ > max_bytes_) erase(entries_.find(recency_.back()));
}

bool ResponseStore::remove(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto entry = entries_.find(id);
  if (entry == entries_.end()) return false;
  erase(entry);
  return true;
}

std::size_t ResponseStore::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

void ResponseStore::hold(const StoredResponse* response) {
  for (; response; response = response->previous.get()) {
    if (++holders_[response] > 1) return;  // and so are those before it
    bytes_ += response->bytes();
  }
}

void ResponseStore::release(const StoredResponse* response) {
  for (; response; response = response->previous.get()) {
    const auto holder = holders_.find(response);
    if (--holder->second > 0) return;
    holders_.erase(holder);
    bytes_ -= response->bytes();
  }
}

void ResponseStore::erase(std::unordered_map<std::string, Entry>::iterator entry) {
  release(entry->second.response.get());
  recency_.erase(entry->second.place);
  entries_.erase(entry);
}

}  // namespace pleiad::api::openai
