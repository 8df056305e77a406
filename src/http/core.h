#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/work_pool.h"
#include "http/body_budget.h"
#include "http/gate.h"
#include "http/ip_address.h"
#include "http/router.h"
#include "http/server.h"

namespace pleiad::http {

class Connection;

/// The open connections of a server.
class ConnectionSet {
 public:
  enum class Place : std::uint8_t { free, over_limit, over_limit_of_address, none };
  /// How many there may be, and of one address; 0: any number of that.
  struct Limits {
    std::uint32_t all = 0;
    std::uint32_t per_address = 0;
  };
  struct Admission {
    Place place = Place::none;
    std::shared_ptr<Connection> gives_way;  // to be told so; may be null
  };

  /// Whether there is room: over a limit for a few that are told so, then none. Where a limit is
  /// reached, the connection that has waited longest for its client gives way, so that nobody is
  /// kept out by others who say nothing. `address`: whom it counts for; may be empty.
  Admission add(const std::shared_ptr<Connection>& connection,
                const std::optional<IpAddress>& address, const Limits& limits);
  void remove(const Connection* connection);
  std::size_t size() const;

  /// What a connection does from now on: wait for a head, wait for more of a body, work.
  void waits_for_head(const Connection* connection);
  void waits_for_body(const Connection* connection);
  void works(const Connection* connection);
  /// One that was to give way had something to do meanwhile.
  void stays(const Connection* connection);
  /// From now on add() finds no place.
  void close_doors();
  std::vector<std::shared_ptr<Connection>> all() const;
  /// Waits until there are none, at most until the time (monotonic seconds) that
  /// hurry() brought forward, before or meanwhile.
  void wait_until_empty();
  void hurry(double until);

 private:
  using Waiting = std::list<const Connection*>;  // the longest first
  struct Entry {
    std::weak_ptr<Connection> connection;
    std::optional<IpAddress> address;
    Waiting* waits_in = nullptr;
    Waiting::iterator place;
    double since = 0;      // that it waits, monotonic seconds
    bool refused = false;  // gets an answer that says so, and is counted among such
    bool leaving = false;  // gives way, and is not counted any more
  };
  struct Count {
    std::uint32_t admitted = 0;
    std::uint32_t refused = 0;
  };

  void wait(const Connection* connection, Waiting& list);
  static void stop_waiting(Entry& entry);
  Count count_of(const std::optional<IpAddress>& address) const;
  void change_count(const Entry& entry, int by);
  std::shared_ptr<Connection> make_way(const std::optional<IpAddress>& address);
  std::shared_ptr<Connection> take_longest(Waiting& list, const std::optional<IpAddress>& address,
                                           double since);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  double deadline_ = std::numeric_limits<double>::infinity();
  std::unordered_map<const Connection*, Entry> connections_;
  std::map<IpAddress, Count> of_address_;
  std::size_t n_refused_ = 0;
  std::size_t n_leaving_ = 0;
  Waiting for_heads_;
  Waiting for_bodies_;
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
  TrustedProxies proxies;
  Limits limits;
  std::function<void(const AccessRecord&)> on_finished;
  std::shared_ptr<std::atomic<bool>> stopping = std::make_shared<std::atomic<bool>>(false);
  ConnectionSet connections;
  BodyBudget bodies;
  WorkPool* workers = nullptr;  // the server's; as long as there are connections
};

}  // namespace pleiad::http
