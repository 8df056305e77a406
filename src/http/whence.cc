#include "http/whence.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "http/ascii.h"
#include "http/exchange.h"

namespace pleiad::http {
namespace {

constexpr std::array<std::string_view, 8> kForwarding = {
    "forwarded",         "via",       "x-forwarded-for",  "x-forwarded-host",
    "x-forwarded-proto", "x-real-ip", "cf-connecting-ip", "true-client-ip"};

bool is_forwarding(std::string_view name) {
  return std::find(kForwarding.begin(), kForwarding.end(), name) != kForwarding.end();
}

/// The parts between separators.
std::vector<std::string_view> parts(std::string_view text, char separator) {
  std::vector<std::string_view> found;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (at != text.size() && text[at] != separator) continue;
    found.push_back(trimmed(text.substr(begin, at - begin)));
    begin = at + 1;
  }
  return found;
}

/// The same of separators that stand in no quoted string ("a\"b"). Where a string does not end
/// there are none: what a caller wrote must not swallow what his proxy adds behind it.
std::vector<std::string_view> unquoted_parts(std::string_view text, char separator) {
  std::vector<std::string_view> found;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (quoted && text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      quoted = !quoted;
    } else if (text[at] == separator && !quoted) {
      found.push_back(trimmed(text.substr(begin, at - begin)));
      begin = at + 1;
    }
  }
  if (quoted) return parts(text, separator);
  found.push_back(trimmed(text.substr(begin)));
  return found;
}

/// Of "for=192.0.2.7;proto=https" the node: "192.0.2.7"; empty where it names none.
std::string_view node_of(std::string_view element) {
  for (std::string_view pair : unquoted_parts(element, ';')) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) continue;
    if (!equal_ignoring_case(trimmed(pair.substr(0, equals)), "for")) continue;
    std::string_view node = trimmed(pair.substr(equals + 1));
    if (node.size() >= 2 && node.front() == '"' && node.back() == '"') {
      node = node.substr(1, node.size() - 2);
    }
    return node;
  }
  return {};
}

/// "192.0.2.7", "192.0.2.7:80", "2001:db8::1", "[2001:db8::1]:80"; "unknown" is none.
std::optional<IpAddress> node_address(std::string_view node) {
  const auto is_port = [](std::string_view text) {
    return text.empty() || (text.size() > 1 && text.front() == ':' &&
                            text.find_first_not_of("0123456789", 1) == std::string_view::npos);
  };
  if (!node.empty() && node.front() == '[') {
    const std::size_t end = node.find(']');
    if (end == std::string_view::npos || !is_port(node.substr(end + 1))) return std::nullopt;
    return parse_ip(node.substr(1, end - 1));
  }
  if (const auto address = parse_ip(node)) return address;
  const std::size_t colon = node.find(':');
  if (colon == std::string_view::npos || !is_port(node.substr(colon))) return std::nullopt;
  return parse_ip(node.substr(0, colon));
}

/// The nodes that proxies have named, the nearest last.
std::vector<std::string_view> named_nodes(const Headers& headers) {
  std::vector<std::string_view> by_custom;
  std::vector<std::string_view> by_standard;
  for (const auto& [name, value] : headers) {
    if (name == "x-forwarded-for") {
      for (const std::string_view node : parts(value, ',')) by_custom.push_back(node);
    } else if (name == "forwarded") {
      for (const std::string_view element : unquoted_parts(value, ',')) {
        by_standard.push_back(node_of(element));
      }
    }
  }
  return by_custom.empty() ? by_standard : by_custom;
}

}  // namespace

bool TrustedProxies::contains(const IpAddress& address) const {
  return std::any_of(networks.begin(), networks.end(),
                     [&](const Network& network) { return network.contains(address); });
}

bool TrustedProxies::contains(const Peer& peer) const {
  return peer.address ? contains(*peer.address) : unix_socket && peer.is_unix();
}

Result<TrustedProxies> parse_trusted_proxies(const std::vector<std::string>& texts) {
  TrustedProxies proxies;
  for (const std::string& text : texts) {
    if (text == "unix") {
      proxies.unix_socket = true;
      continue;
    }
    Result<Network> network = parse_network(text);
    if (!network) return Failure{network.message() + ", or unix"};
    proxies.networks.push_back(network.value());
  }
  return proxies;
}

Whence whence(const Headers& headers, const Peer& peer, const TrustedProxies& proxies) {
  Whence result{peer.text, peer.is_local, peer.is_unix(), false};
  result.is_forwarded = std::any_of(headers.begin(), headers.end(),
                                    [](const auto& header) { return is_forwarding(header.first); });
  if (!proxies.contains(peer)) {
    result.is_local = peer.is_local && !result.is_forwarded;
    return result;
  }
  result.is_local = false;
  result.is_forwarded = true;
  const std::vector<std::string_view> nodes = named_nodes(headers);
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    const auto address = node_address(*node);
    if (!address) break;
    result.text = address->text();
    if (!proxies.contains(*address)) break;
  }
  return result;
}

}  // namespace pleiad::http
