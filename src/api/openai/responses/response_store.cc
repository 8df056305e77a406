#include "api/openai/responses/response_store.h"

#include <chrono>
#include <iterator>

namespace pleiad::api::openai {

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::size_t StoredResponse::bytes() const {
  constexpr std::size_t kBookkeeping = 640;  // the object, its entry, its places in the orders
  constexpr std::size_t kItem = 128;         // its place among the items
  std::size_t n = kBookkeeping + id.capacity() + body.capacity() + input_items.capacity() +
                  output_items.capacity();
  for (const std::string& item : item_ids) n += kItem + item.capacity();
  return n;
}

bool StoreLimits::fits(const StoredResponse& response, std::size_t n_more) const {
  std::size_t n = n_more;
  for (const auto* turn = &response; turn && n <= bytes; turn = turn->previous.get()) {
    n += turn->bytes();
  }
  return n <= bytes;
}

std::shared_ptr<const StoredResponse> ResponseStore::find(const std::string& id) {
  const std::lock_guard lock(mutex_);
  expire_locked();
  const auto entry = entries_.find(id);
  if (entry == entries_.end()) return nullptr;
  use(entry->second);
  return entry->second.response;
}

std::shared_ptr<const StoredResponse> ResponseStore::find_item(std::string_view id) {
  const std::lock_guard lock(mutex_);
  expire_locked();
  auto after = items_.upper_bound({id, std::numeric_limits<std::uint64_t>::max(), nullptr});
  if (after == items_.begin() || (--after)->id != id) return nullptr;
  const auto& response = holders_.at(after->response).response;
  // An earlier turn may be kept for later ones alone.
  const auto entry = entries_.find(response->id);
  if (entry != entries_.end() && entry->second.response == response) use(entry->second);
  return response;
}

void ResponseStore::add(std::shared_ptr<const StoredResponse> response) {
  if (!limits_.fits(*response)) return;
  const std::lock_guard lock(mutex_);
  expire_locked();
  if (entries_.count(response->id) > 0) return;
  hold(response);
  recency_.push_front(response->id);
  ages_.emplace_back(clock_(), response->id);
  const std::string& id = response->id;
  entries_.emplace(id, Entry{std::move(response), recency_.begin(), std::prev(ages_.end())});
  while (bytes_ > limits_.bytes) erase(entries_.find(recency_.back()));
}

bool ResponseStore::remove(const std::string& id) {
  const std::lock_guard lock(mutex_);
  expire_locked();
  const auto entry = entries_.find(id);
  if (entry == entries_.end()) return false;
  erase(entry);
  return true;
}

void ResponseStore::expire() {
  const std::lock_guard lock(mutex_);
  expire_locked();
}

std::size_t ResponseStore::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

void ResponseStore::expire_locked() {
  const double now = clock_();
  while (!ages_.empty() && now - ages_.front().first > limits_.seconds) {
    erase(entries_.find(ages_.front().second));
  }
}

void ResponseStore::hold(const std::shared_ptr<const StoredResponse>& response) {
  for (const auto* at = &response; *at; at = &(*at)->previous) {
    Holder& holder = holders_[at->get()];
    if (++holder.n > 1) return;  // and so are those before it
    holder.response = *at;
    holder.number = next_number_++;
    for (const std::string& id : (*at)->item_ids) {
      items_.insert({id, holder.number, at->get()});
    }
    bytes_ += (*at)->bytes();
  }
}

void ResponseStore::release(const StoredResponse* response) {
  while (response) {
    const auto holder = holders_.find(response);
    if (--holder->second.n > 0) return;
    for (const std::string& id : response->item_ids) {
      items_.erase({id, holder->second.number, response});
    }
    bytes_ -= response->bytes();
    // The holder may be the last to keep it alive, and it the one before it, which has a holder of
    // its own.
    const StoredResponse* previous = response->previous.get();
    holders_.erase(holder);
    response = previous;
  }
}

void ResponseStore::erase(std::unordered_map<std::string, Entry>::iterator entry) {
  const Entry gone = std::move(entry->second);
  entries_.erase(entry);
  recency_.erase(gone.by_use);
  ages_.erase(gone.by_age);
  release(gone.response.get());
}

}  // namespace pleiad::api::openai
