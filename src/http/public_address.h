#pragma once

#include <sys/socket.h>

#include "http/ip_address.h"

namespace pleiad::http {

/// An address that a host of the public internet has: none of this machine, of private, shared and
/// link-local networks, of documentation and tests, of groups (multicast), of those that carry
/// other addresses within them (mapped, 6to4, NAT64, Teredo), none that is reserved, and not the
/// one by which Azure's machines reach their host. By IANA's registries of special-purpose
/// addresses for IPv4 and IPv6.
bool is_public(const IpAddress& address);

/// Likewise of a socket's address; false for families that are neither IPv4 nor IPv6.
bool is_public(const sockaddr& address);

}  // namespace pleiad::http
