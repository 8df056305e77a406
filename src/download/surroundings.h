#pragma once

#include <sys/socket.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace pleiad::download {

/// Asked several times a second, on the caller's thread; true ends what is going on.
using Stop = std::function<bool()>;

/// How long, and how often, a host is tried. All times are seconds.
struct RetryPolicy {
  int attempts = 8;             // in a row with less than 64 KiB between them; at least 1
  double first_wait = 0.5;      // before the second attempt; doubled each time, and jittered
  double longest_wait = 30;     // between two attempts
  double longest_asked = 120;   // the most that Retry-After is obeyed; beyond it the answer counts
  double connect_seconds = 15;  // for names, connection, TLS
  double stall_seconds = 30;  // a connection that is slower than `slowest` for so long is given up
  double slowest = 256;       // bytes a second
  double slow_seconds = 3;    // a piece that the others wait for may be much slower for so long
  double answer_seconds = 600;  // for which a host may think about what it was sent
};

/// What the apps read from flags and the environment.
struct Surroundings {
  /// Of the authorities that https trusts; empty: client::find_certificates' choice.
  std::filesystem::path certificates = {};
  /// As curl reads http_proxy, https_proxy and no_proxy. Loopback is never asked through a proxy.
  std::string http_proxy = {}, https_proxy = {}, no_proxy = {};
  /// Users and passwords by host; empty: none are read. Only the host that a URL names gets them,
  /// never one that it leads to.
  std::filesystem::path netrc = {};
  /// "host" or "host:port": may be asked by http, and its certificate is not checked. Loopback may
  /// be asked by http without being named.
  std::vector<std::string> insecure_hosts = {};
  /// Whether an address is of the public internet; empty: http::is_public. For tests.
  std::function<bool(const sockaddr&)> is_public = {};
  /// "HOST:PORT:ADDRESS": names that are looked up here and not by the system. For tests.
  std::vector<std::string> known_names = {};
  RetryPolicy retry = {};
};

}  // namespace pleiad::download
