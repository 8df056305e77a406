#include <algorithm>
#include <chrono>

#include "base/clock.h"
#include "http/connection.h"
#include "http/core.h"

namespace pleiad::http {
namespace {

constexpr std::size_t kToldThatWeAreFull = 64;
constexpr std::uint32_t kToldThatTheyAreMany = 16;  // of one address
/// A body may pause for so long before its connection has to give way.
constexpr double kBodyPauseSeconds = 5;

/// Whom an address counts for: of IPv6, a network of 64 bits is one's own.
std::optional<IpAddress> holder_of(std::optional<IpAddress> address) {
  if (address && !address->is_v4()) {
    std::fill(address->bytes.begin() + 8, address->bytes.end(), std::uint8_t{0});
  }
  return address;
}

}  // namespace

ConnectionSet::Admission ConnectionSet::add(const std::shared_ptr<Connection>& connection,
                                            const std::optional<IpAddress>& address,
                                            const Limits& limits) {
  const std::lock_guard lock(mutex_);
  const auto holder = limits.per_address > 0 ? holder_of(address) : std::nullopt;
  const std::size_t n_admitted = connections_.size() - n_leaving_ - n_refused_;
  const Count of_holder = count_of(holder);
  Admission admission;
  if (!open_ || n_leaving_ >= kToldThatWeAreFull) return admission;
  admission.place = Place::free;
  if (holder && of_holder.admitted >= limits.per_address) {
    admission.gives_way = make_way(holder);
    if (!admission.gives_way) admission.place = Place::over_limit_of_address;
  } else if (n_admitted >= limits.all) {
    admission.gives_way = make_way(std::nullopt);
    if (!admission.gives_way) admission.place = Place::over_limit;
  }
  const bool refused = admission.place != Place::free;
  if (refused && (n_refused_ >= kToldThatWeAreFull || of_holder.refused >= kToldThatTheyAreMany)) {
    return {};
  }
  Entry& entry = connections_[connection.get()];
  entry.connection = connection;
  entry.address = holder;
  entry.refused = refused;
  if (refused) ++n_refused_;
  change_count(entry, 1);
  return admission;
}

void ConnectionSet::remove(const Connection* connection) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = connections_.find(connection);
    if (found == connections_.end()) return;
    Entry& entry = found->second;
    stop_waiting(entry);
    if (entry.leaving) {
      --n_leaving_;
    } else {
      if (entry.refused) --n_refused_;
      change_count(entry, -1);
    }
    connections_.erase(found);
  }
  changed_.notify_all();
}

ConnectionSet::Count ConnectionSet::count_of(const std::optional<IpAddress>& address) const {
  if (!address) return {};
  const auto found = of_address_.find(*address);
  return found == of_address_.end() ? Count() : found->second;
}

void ConnectionSet::change_count(const Entry& entry, int by) {
  if (!entry.address) return;
  Count& count = of_address_[*entry.address];
  (entry.refused ? count.refused : count.admitted) += static_cast<std::uint32_t>(by);
  if (count.admitted == 0 && count.refused == 0) of_address_.erase(*entry.address);
}

void ConnectionSet::stop_waiting(Entry& entry) {
  if (entry.waits_in != nullptr) entry.waits_in->erase(entry.place);
  entry.waits_in = nullptr;
}

void ConnectionSet::wait(const Connection* connection, Waiting& list) {
  const std::lock_guard lock(mutex_);
  const auto found = connections_.find(connection);
  if (found == connections_.end()) return;
  Entry& entry = found->second;
  if (entry.leaving || entry.refused) return;  // who was refused has no place to give
  stop_waiting(entry);
  entry.waits_in = &list;
  entry.place = list.insert(list.end(), connection);
  entry.since = monotonic_seconds();
}

void ConnectionSet::waits_for_head(const Connection* connection) { wait(connection, for_heads_); }
void ConnectionSet::waits_for_body(const Connection* connection) { wait(connection, for_bodies_); }

void ConnectionSet::works(const Connection* connection) {
  const std::lock_guard lock(mutex_);
  const auto found = connections_.find(connection);
  if (found != connections_.end()) stop_waiting(found->second);
}

void ConnectionSet::stays(const Connection* connection) {
  const std::lock_guard lock(mutex_);
  const auto found = connections_.find(connection);
  if (found == connections_.end() || !found->second.leaving) return;
  found->second.leaving = false;
  --n_leaving_;
  change_count(found->second, 1);
}

/// Of `address`, or where that is empty of all.
std::shared_ptr<Connection> ConnectionSet::make_way(const std::optional<IpAddress>& address) {
  const double now = monotonic_seconds();
  auto found = take_longest(for_heads_, address, now);
  return found ? found : take_longest(for_bodies_, address, now - kBodyPauseSeconds);
}

std::shared_ptr<Connection> ConnectionSet::take_longest(Waiting& list,
                                                        const std::optional<IpAddress>& address,
                                                        double since) {
  for (const Connection* candidate : list) {
    Entry& entry = connections_.at(candidate);
    if (entry.since > since) return nullptr;
    if (address && entry.address != address) continue;
    auto connection = entry.connection.lock();
    if (!connection) continue;  // it is being closed
    stop_waiting(entry);
    change_count(entry, -1);
    entry.leaving = true;
    ++n_leaving_;
    return connection;
  }
  return nullptr;
}

std::size_t ConnectionSet::size() const {
  const std::lock_guard lock(mutex_);
  return connections_.size();
}

void ConnectionSet::close_doors() {
  const std::lock_guard lock(mutex_);
  open_ = false;
}

std::vector<std::shared_ptr<Connection>> ConnectionSet::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Connection>> all;
  for (const auto& [key, entry] : connections_) {
    if (auto alive = entry.connection.lock()) all.push_back(std::move(alive));
  }
  return all;
}

void ConnectionSet::wait_until_empty() {
  std::unique_lock lock(mutex_);
  while (!connections_.empty()) {
    const double left = deadline_ - monotonic_seconds();
    if (left <= 0) return;
    changed_.wait_for(lock, std::chrono::duration<double>(std::min(left, 3600.0)));
  }
}

void ConnectionSet::hurry(double until) {
  {
    const std::lock_guard lock(mutex_);
    deadline_ = std::min(deadline_, until);
  }
  changed_.notify_all();
}

}  // namespace pleiad::http
