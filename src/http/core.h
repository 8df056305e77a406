#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/work_pool.h"
#include "http/body_budget.h"
#include "http/gate.h"
#include "http/router.h"
#include "http/server.h"

namespace pleiad::http {

class Connection;

/// The open connections of a server.
class ConnectionSet {
 public:
  enum class Place : std::uint8_t { free, over_limit, none };

  /// Whether there is room: over the limit for a few that are told so, then none.
  Place add(const std::shared_ptr<Connection>& connection, std::uint32_t limit);
  void remove(const Connection* connection);
  std::size_t size() const;
  /// From now on add() finds no place.
  void close_doors();
  std::vector<std::shared_ptr<Connection>> all() const;
  /// Waits until there are none, at most until the time (monotonic seconds) that
  /// hurry() brought forward, before or meanwhile.
  void wait_until_empty();
  void hurry(double until);

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  double deadline_ = std::numeric_limits<double>::infinity();
  std::unordered_map<const Connection*, std::weak_ptr<Connection>> connections_;
  bool open_ = true;
};

/// What the connections of a server share. Each keeps it alive.
struct Core {
  Core(const Router& routes, const ServerOptions& options,
       std::function<void(const AccessRecord&)> when_finished);
  /// For logs and X-Request-Id: nobody learns from one how many there were before it.
  static std::string make_request_id();

  boost::asio::io_context io;
  const Router& router;
  GateRules gate;
  Limits limits;
  std::function<void(const AccessRecord&)> on_finished;
  std::shared_ptr<std::atomic<bool>> stopping = std::make_shared<std::atomic<bool>>(false);
  ConnectionSet connections;
  BodyBudget bodies;
  WorkPool* workers = nullptr;  // the server's; as long as there are connections
};

}  // namespace pleiad::http
