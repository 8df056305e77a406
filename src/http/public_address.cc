#include "http/public_address.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/check.h"

namespace pleiad::http {
namespace {

constexpr std::string_view kNotPublic[] = {
    // IPv4
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
    "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
    "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32",
    // IPv6, of what is global: protocols and Teredo, documentation, 6to4
    "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"};

/// All that is given out of IPv6.
constexpr std::string_view kGlobal = "2000::/3";

Network network(std::string_view text) {
  const auto parsed = parse_network(text);
  CHECK(parsed.ok(), "{}", text);
  return parsed.value();
}

std::vector<Network> refused_networks() {
  std::vector<Network> networks;
  for (const std::string_view text : kNotPublic) networks.push_back(network(text));
  return networks;
}

}  // namespace

bool is_public(const IpAddress& address) {
  static const std::vector<Network> refused = refused_networks();
  static const Network global = network(kGlobal);
  if (!address.is_v4() && !global.contains(address)) return false;
  return std::none_of(refused.begin(), refused.end(),
                      [&](const Network& some) { return some.contains(address); });
}

bool is_public(const sockaddr& address) {
  const auto ip = ip_of(address);
  // An address of IPv4 that comes as one of IPv6 is not judged as the former: nobody needs it.
  const bool is_disguised = ip && ip->is_v4() && address.sa_family == AF_INET6;
  return ip && !is_disguised && is_public(*ip);
}

}  // namespace pleiad::http
