#include "http/authority.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "http/ascii.h"
#include "http/ip_address.h"

namespace pleiad::http {
namespace {

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& candidate) {
    return equal_ignoring_case(candidate, name);
  });
}

/// What containers call the machine that they run on; no public name can be that.
bool is_container_host(std::string_view host) {
  return host == "host.docker.internal" || host == "host.containers.internal";
}

/// Names that no public site can have: of a local network, of containers, of one label.
bool is_never_public(std::string_view host) {
  constexpr std::array<std::string_view, 3> kPrivateDomains = {".local", ".internal", ".home.arpa"};
  return host.find('.') == std::string_view::npos ||
         std::any_of(kPrivateDomains.begin(), kPrivateDomains.end(),
                     [&](std::string_view domain) { return host.ends_with(domain); });
}

}  // namespace

std::optional<Authority> parse_authority(std::string_view text) {
  Authority authority;
  if (!text.empty() && text.front() == '[') {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    authority.host = lowered(text.substr(1, end - 1));
    if (authority.host.find(':') == std::string::npos || !parse_ip(authority.host)) {
      return std::nullopt;
    }
    text.remove_prefix(end + 1);
  } else {
    const std::size_t end = std::min(text.find(':'), text.size());
    authority.host = lowered(text.substr(0, end));
    text.remove_prefix(end);
    if (authority.host.size() > 1 && authority.host.back() == '.') authority.host.pop_back();
    if (authority.host.empty() ||
        !std::all_of(authority.host.begin(), authority.host.end(), is_name_character)) {
      return std::nullopt;
    }
  }
  if (text.empty()) return authority;
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data() + 1, end, port);
  if (text.front() != ':' || result.ec != std::errc() || result.ptr != end) return std::nullopt;
  authority.port = port;
  return authority;
}

bool is_this_machine(std::string_view host) {
  if (host == "localhost" || host.ends_with(".localhost")) return true;
  const auto address = parse_ip(host);
  return address && (address->is_loopback() || address->is_unspecified());
}

bool host_allowed(std::string_view host, const HostRules& rules) {
  const auto authority = parse_authority(host);
  if (!authority) return false;
  if (contains(rules.names, "*") || contains(rules.names, authority->host)) return true;
  if (is_this_machine(authority->host) || is_container_host(authority->host)) return true;
  const auto address = parse_ip(authority->host);
  return address && (address->is_private() || contains(rules.addresses, authority->host));
}

bool host_is_no_strangers(std::string_view host, const HostRules& rules) {
  const auto authority = parse_authority(host);
  if (!authority) return false;
  return parse_ip(authority->host) || is_never_public(authority->host) || host_allowed(host, rules);
}

}  // namespace pleiad::http
