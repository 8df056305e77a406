#include "http/core.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>

#include "base/clock.h"
#include "base/random_bytes.h"

namespace pleiad::http {
namespace {

constexpr std::size_t kToldThatWeAreFull = 64;

}  // namespace

ConnectionSet::Place ConnectionSet::add(const std::shared_ptr<Connection>& connection,
                                        std::uint32_t limit) {
  const std::lock_guard lock(mutex_);
  const std::size_t size = connections_.size();
  if (!open_ || size >= limit + kToldThatWeAreFull) return Place::none;
  connections_.emplace(connection.get(), connection);
  return size >= limit ? Place::over_limit : Place::free;
}

void ConnectionSet::remove(const Connection* connection) {
  {
    const std::lock_guard lock(mutex_);
    connections_.erase(connection);
  }
  changed_.notify_all();
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
  for (const auto& [key, connection] : connections_) {
    if (auto alive = connection.lock()) all.push_back(std::move(alive));
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

Core::Core(const Router& routes, const ServerOptions& options,
           std::function<void(const AccessRecord&)> when_finished)
    : router(routes),
      limits(options.limits),
      on_finished(std::move(when_finished)),
      bodies(options.limits.waiting_body_bytes) {
  gate.origins = options.origins;
  gate.keys = KeyRing(options.use_keys, options.admin_keys);
  gate.body_bytes = options.limits.body_bytes;
  gate.light_body_bytes = std::min(options.limits.body_bytes, options.limits.light_body_bytes);
}

std::string Core::make_request_id() {
  std::uint64_t bits = 0;
  fill_random(std::as_writable_bytes(std::span(&bits, 1)));
  return fmt::format("{:012x}", bits >> 16);
}

}  // namespace pleiad::http
