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

/// Which names in Host are let in.
enum class HostCheck : std::uint8_t {
  own_names,     // a server for this machine
  no_strangers,  // one for others, without keys: any address, and no name that a stranger can own
  none,          // whoever has a key was let in by somebody who knows it; pages of others have none
};

/// Which names in Host are ours. A page of another site reaches a server on this
/// machine by letting its own name point here; the name in Host gives it away.
struct HostRules {
  HostCheck check = HostCheck::own_names;
  std::vector<std::string> names;      // of this machine, and those that were configured; "*": any
  std::vector<std::string> addresses;  // of this machine
};
bool host_allowed(std::string_view host, const HostRules& rules);

/// What host_allowed() allows, any address, and names that cannot be public: of one label, under
/// .local, .internal or .home.arpa. A browser that is led here by a name keeps to that name.
bool host_is_no_strangers(std::string_view host, const HostRules& rules);

}  // namespace pleiad::http
