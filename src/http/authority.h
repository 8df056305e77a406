#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pleiad::http {

/// "localhost:11434", "[::1]:80", "192.168.0.7".
struct Authority {
  std::string host;  // lower case, without brackets and a dot at the end
  std::optional<std::uint16_t> port;
};
std::optional<Authority> parse_authority(std::string_view text);

/// "localhost", "*.localhost", 127.0.0.0/8, ::1 and the unspecified addresses.
bool is_this_machine(std::string_view host);

/// Which names in Host are ours. A page of another site reaches a server on this
/// machine by letting its own name point here; the name in Host gives it away.
struct HostRules {
  bool enforced = true;                // bound to loopback or a Unix socket
  std::vector<std::string> names;      // of this machine, and those that were configured; "*": any
  std::vector<std::string> addresses;  // of this machine
};
bool host_allowed(std::string_view host, const HostRules& rules);

}  // namespace pleiad::http
