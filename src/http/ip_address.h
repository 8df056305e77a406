#pragma once

#include <sys/socket.h>

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pleiad::http {

/// An address of IPv6; one of IPv4 is mapped (::ffff:a.b.c.d).
struct IpAddress {
  std::array<std::uint8_t, 16> bytes = {};

  bool is_v4() const;
  bool is_loopback() const;
  bool is_unspecified() const;
  /// Of networks that the internet does not route.
  bool is_private() const;
  /// "127.0.0.1", "2001:db8::1"
  std::string text() const;
  auto operator<=>(const IpAddress&) const = default;
};

/// Of a socket's address; empty for families that are neither IPv4 nor IPv6.
std::optional<IpAddress> ip_of(const sockaddr& address);

/// A literal, without brackets and port.
std::optional<IpAddress> parse_ip(std::string_view text);

/// All addresses that begin with the same bits.
struct Network {
  IpAddress first;
  int bits = 128;  // of IPv4: 96 more than are written

  bool contains(const IpAddress& address) const;
};

/// "10.0.0.0/8", "192.0.2.7", "2001:db8::/32". Bits beyond the prefix must be 0, so that a slip
/// of the pen opens nothing.
Result<Network> parse_network(std::string_view text);

}  // namespace pleiad::http
