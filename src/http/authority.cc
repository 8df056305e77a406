#include "http/authority.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "http/ascii.h"

namespace pleiad::http {
namespace {

using Bytes = std::array<std::uint8_t, 16>;

/// An address literal as IPv6; IPv4 is mapped.
std::optional<Bytes> parse_address(std::string_view text) {
  const std::string copy(text);
  Bytes bytes = {};
  if (inet_pton(AF_INET6, copy.c_str(), bytes.data()) == 1) return bytes;
  bytes = {};
  bytes[10] = bytes[11] = 0xFF;
  if (inet_pton(AF_INET, copy.c_str(), bytes.data() + 12) == 1) return bytes;
  return std::nullopt;
}

bool is_mapped(const Bytes& a) {
  return std::all_of(a.begin(), a.begin() + 10, [](std::uint8_t b) { return b == 0; }) &&
         a[10] == 0xFF && a[11] == 0xFF;
}

/// Loopback or unspecified.
bool is_local(const Bytes& a) {
  if (is_mapped(a)) return a[12] == 127 || (a[12] | a[13] | a[14] | a[15]) == 0;
  return std::all_of(a.begin(), a.end() - 1, [](std::uint8_t b) { return b == 0; }) && a[15] <= 1;
}

/// Of networks that the internet does not route.
bool is_private(const Bytes& a) {
  if (!is_mapped(a)) return (a[0] & 0xFE) == 0xFC || (a[0] == 0xFE && (a[1] & 0xC0) == 0x80);
  return a[12] == 10 || (a[12] == 172 && (a[13] & 0xF0) == 16) || (a[12] == 192 && a[13] == 168) ||
         (a[12] == 169 && a[13] == 254) || (a[12] == 100 && (a[13] & 0xC0) == 64);
}

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

}  // namespace

std::optional<Authority> parse_authority(std::string_view text) {
  Authority authority;
  if (!text.empty() && text.front() == '[') {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    authority.host = lowered(text.substr(1, end - 1));
    if (authority.host.find(':') == std::string::npos || !parse_address(authority.host)) {
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
  const auto address = parse_address(host);
  return address && is_local(*address);
}

bool host_allowed(std::string_view host, const HostRules& rules) {
  const auto authority = parse_authority(host);
  if (!authority) return false;
  if (contains(rules.names, "*") || contains(rules.names, authority->host)) return true;
  if (is_this_machine(authority->host) || is_container_host(authority->host)) return true;
  const auto address = parse_address(authority->host);
  return address && (is_private(*address) || contains(rules.addresses, authority->host));
}

}  // namespace pleiad::http
