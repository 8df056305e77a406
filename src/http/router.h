#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "http/exchange.h"
#include "http/request.h"

namespace pleiad::http {

/// Runs on one of the server's threads: must not wait for anything slow. Where the body is long
/// (Limits::light_body_bytes) or the route is heavy, that is a worker; else all connections wait
/// for it, so that it must be done within about a millisecond. The exchange may be kept and
/// answered later. An Error that it throws becomes a 400 in the form of `on_error`, anything else a
/// 500 without details.
using Handler = std::function<void(Request request, std::shared_ptr<Exchange> exchange)>;

/// How an API words what the server itself refuses (404, 413, 401, ...).
using ErrorFormat = std::function<Response(int status, const std::string& message)>;

struct Route {
  std::string method;   // "GET"; a GET route answers HEAD as well
  std::string pattern;  // "/api/blobs/{digest}"; "{path...}" at the end takes the rest
  Scope scope = Scope::use;
  Handler handler;
  ErrorFormat on_error = {};         // empty: {"error": "..."}
  std::uint64_t max_body_bytes = 0;  // 0: the server's limit
  /// Routes with large bodies: called when the head has come; may throw Error.
  std::function<std::unique_ptr<BodySink>(const Request& head)> open_sink = {};
  bool heavy = false;  // much to do, however short the body
};

/// Finds the route of a request. Filled once, before the server starts.
class Router {
 public:
  /// Of two patterns that fit a path, the one that says more, from the left, is
  /// taken: a word, then {name}, then {name...}. Neither of these is ever empty.
  /// CHECKs that no two routes match the same requests otherwise.
  void add(Route route);

  struct Match {
    const Route* route = nullptr;  // null: no such path
    std::vector<std::string> arguments;
    std::vector<std::string> allowed;  // methods, where the path exists but not with this one
  };
  /// `path` is decoded.
  Match find(const std::string& method, const std::string& path) const;

  /// How what is not found is worded: as the route does that shares most of the
  /// path's first words. May be empty.
  ErrorFormat error_format_near(const std::string& path) const;

  const std::vector<std::unique_ptr<Route>>& routes() const { return routes_; }

 private:
  std::vector<std::unique_ptr<Route>> routes_;
};

}  // namespace pleiad::http
