#include "download/network.h"

#include <utility>

#include "http/public_address.h"

namespace pleiad::download {
namespace {

constexpr std::size_t kMostIdle = 4;

Surroundings ready_for_libcurl(Surroundings surroundings) {
  curl_global_init(CURL_GLOBAL_DEFAULT);
  return surroundings;
}

}  // namespace

Network::Network(Surroundings surroundings)
    : surroundings_(ready_for_libcurl(std::move(surroundings))),
      rules_(surroundings_),
      certificates_(client::trusted_certificates(surroundings_.certificates)) {}

bool Network::is_public(const sockaddr& address) const {
  return surroundings_.is_public ? surroundings_.is_public(address) : http::is_public(address);
}

bool Network::was_reached(const Target& target) const {
  const std::lock_guard lock(mutex_);
  return reached_.contains(target.host());
}

bool Network::met_public(const Target& target) const {
  const std::lock_guard lock(mutex_);
  const auto found = reached_.find(target.host());
  return found == reached_.end() ? !target.is_never_public() : found->second;
}

void Network::note_reached(const Target& target, bool met_public) {
  const std::lock_guard lock(mutex_);
  reached_[target.host()] = met_public;
}

std::unique_ptr<Line> Network::take_line() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Line> line = std::move(idle_.back());
      idle_.pop_back();
      return line;
    }
  }
  return std::make_unique<Line>(*this);
}

void Network::give_back(std::unique_ptr<Line> line) {
  const std::lock_guard lock(mutex_);
  if (idle_.size() < kMostIdle) idle_.push_back(std::move(line));
}

}  // namespace pleiad::download
