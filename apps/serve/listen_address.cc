#include <charconv>
#include <optional>

#include "apps/common/usage_error.h"
#include "apps/serve/config.h"
#include "base/error.h"
#include "base/text_format.h"

namespace pleiad::apps {
namespace {

constexpr std::uint16_t kOllamaPort = 11434;

std::optional<std::uint16_t> port_number(std::string_view text) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port > 65535) return {};
  return static_cast<std::uint16_t>(port);
}

void take_port(ListenAddress& address, std::string_view text, const std::string& all,
               const std::string& origin) {
  const std::optional<std::uint16_t> port = port_number(text);
  if (!port) {
    refuse_setting(origin,
                   fmt::format("expected a port from 0 to 65535, found '{}' in '{}'", text, all));
  }
  address.port = *port;
  address.names_port = true;
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.") ||
         host.ends_with(".localhost");
}

}  // namespace

ListenAddress parse_listen_address(const std::string& text, const std::string& origin) {
  ListenAddress address;
  address.port = kOllamaPort;
  if (text.starts_with("unix:")) {
    if (text.size() == 5) {
      refuse_setting(origin, fmt::format("expected unix:PATH, found '{}'", text));
    }
    address.host = text;
    return address;
  }
  std::string_view rest = text;
  if (rest.starts_with("https://")) {
    refuse_setting(origin,
                   fmt::format("found '{}': TLS is not served here; put a proxy in front", text));
  }
  if (rest.starts_with("http://")) rest.remove_prefix(7);
  rest = rest.substr(0, rest.find('/'));
  if (rest.starts_with('[')) {
    const std::size_t close = rest.find(']');
    if (close == rest.npos) refuse_setting(origin, fmt::format("'{}' lacks a ']'", text));
    address.host = rest.substr(1, close - 1);
    rest.remove_prefix(close + 1);
    if (!rest.empty()) {
      if (rest.front() != ':') {
        refuse_setting(origin, fmt::format("expected [ADDRESS]:PORT, found '{}'", text));
      }
      take_port(address, rest.substr(1), text, origin);
    }
  } else if (const std::size_t colon = rest.find(':');
             colon != rest.npos && rest.find(':', colon + 1) == rest.npos) {
    address.host = rest.substr(0, colon);
    take_port(address, rest.substr(colon + 1), text, origin);
  } else {
    address.host = rest;  // without a port; two colons or more: an IPv6 address
  }
  if (address.host.empty()) address.host = "127.0.0.1";
  address.loopback = is_loopback(address.host);
  return address;
}

ListenAddress listen_address(const SettingValue& host, const SettingValue& port) {
  ListenAddress address = parse_listen_address(host.text, host.origin);
  if (port.text.empty()) return address;
  const std::optional<std::uint16_t> number = port_number(port.text);
  if (!number) {
    refuse_setting(port.origin, fmt::format("expected a port from 0 to 65535, found '{}'",
                                            printable(port.text)));
  }
  if (address.host.starts_with("unix:")) {
    throw UsageError("{} {}: {} is {}, a Unix socket, which has no port", port.origin, *number,
                     host.origin, printable(host.text));
  }
  const bool by_flag = host.origin.starts_with("--");
  if (by_flag && address.names_port && address.port != *number) {
    throw UsageError("{} {}: {} {} names port {}; give one of the two", port.origin, *number,
                     host.origin, printable(host.text), address.port);
  }
  address.port = *number;
  return address;
}

}  // namespace pleiad::apps
