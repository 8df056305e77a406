#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "http/ip_address.h"

namespace pleiad::http {

/// The other end of a socket.
struct Peer {
  std::string text;                  // "127.0.0.1:40312", "[::1]:40312", "unix"
  bool is_local = false;             // on this machine
  std::optional<IpAddress> address;  // of TCP

  bool is_unix() const { return is_local && !address; }
};

/// The proxies that are believed when they say for whom they ask.
struct TrustedProxies {
  std::vector<Network> networks;
  bool unix_socket = false;

  bool empty() const { return networks.empty() && !unix_socket; }
  bool contains(const IpAddress& address) const;
  bool contains(const Peer& peer) const;
};

/// "127.0.0.1", "10.0.0.0/8", "unix", each one proxy or a network of them.
Result<TrustedProxies> parse_trusted_proxies(const std::vector<std::string>& texts);

/// Where a request comes from, as far as that is known.
struct Whence {
  std::string text;           // for the log: the peer's, or the address that its proxy gives
  bool is_local = true;       // from this machine, and through nobody who asks for others
  bool is_unix = false;       // the socket
  bool is_forwarded = false;  // through a proxy, which may be one that is not trusted
};

/// Without trusted proxies the socket alone counts, and a request that says that it was forwarded
/// (X-Forwarded-For, Forwarded, Via and their like) is not local. From a trusted proxy no request
/// is local, and the caller is the rightmost address in X-Forwarded-For, or else in Forwarded, that
/// is no trusted proxy's; what stands left of it is whatever the caller liked to write.
Whence whence(const std::vector<std::pair<std::string, std::string>>& headers, const Peer& peer,
              const TrustedProxies& proxies);

}  // namespace pleiad::http
