#include "fetch/media_hosts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text_format.h"
#include "http/authority.h"
#include "http/ip_address.h"
#include "http/public_address.h"

namespace pleiad::fetch {
namespace {

constexpr std::uint16_t kHttp = 80;
constexpr std::uint16_t kHttps = 443;
constexpr std::size_t kLongestName = 253;

/// "1", "0x7f": resolvers read a host that ends so as an IPv4 address in a short form ("127.1",
/// "0x7f.1", "2130706433"). No top-level domain is one.
bool is_number(std::string_view label) {
  const bool hex = label.starts_with("0x");
  if (hex) label.remove_prefix(2);
  return (hex || !label.empty()) && std::all_of(label.begin(), label.end(), [&](char c) {
           return (c >= '0' && c <= '9') || (hex && c >= 'a' && c <= 'f');
         });
}

/// Of one label or more, as DNS has them; not an address in any of its forms.
bool is_host_name(std::string_view name) {
  if (name.empty() || name.size() > kLongestName) return false;
  if (is_number(name.substr(name.rfind('.') + 1))) return false;  // npos + 1 is 0
  while (!name.empty()) {
    const std::size_t dot = std::min(name.find('.'), name.size());
    const std::string_view label = name.substr(0, dot);
    const bool good =
        !label.empty() && label.size() <= 63 && std::all_of(label.begin(), label.end(), [](char c) {
          return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
        });
    if (!good || (dot + 1 == name.size())) return false;
    name.remove_prefix(std::min(dot + 1, name.size()));
  }
  return true;
}

}  // namespace

Result<MediaHosts> MediaHosts::parse(std::span<const std::string> entries) {
  MediaHosts hosts;
  for (const std::string& text : entries) {
    const auto refuse = [&](std::string_view why) {
      return Failure{
          fmt::format("expected a host such as cdn.example.com, *.example.org or example.com:8443, "
                      "found '{}'{}",
                      printable(text), why)};
    };
    constexpr std::string_view kBelow = "*.";
    Entry entry;
    entry.below = text.starts_with(kBelow);
    const auto authority =
        http::parse_authority(std::string_view(text).substr(entry.below ? kBelow.size() : 0));
    if (!authority) return refuse("");
    entry.name = authority->host;
    entry.port = authority->port;
    if (entry.below) {
      if (!is_host_name(entry.name)) return refuse("");
      if (entry.name.find('.') == std::string::npos) {
        return refuse(": a whole domain of the internet is too much");
      }
      entry.name.insert(0, ".");
    } else if (!is_host_name(entry.name) && !http::parse_ip(entry.name)) {
      return refuse("");
    }
    const auto address = http::parse_ip(entry.name);
    if (address && !http::is_public(*address)) {
      return refuse(": pictures are fetched from public addresses alone");
    }
    if (entry.name == "localhost" || entry.name.ends_with(".localhost")) {
      return refuse(
          ": pictures are fetched from public addresses alone, and localhost is this "
          "machine");
    }
    hosts.entries_.push_back(std::move(entry));
  }
  return hosts;
}

bool MediaHosts::allow(std::string_view host, std::uint16_t port) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    const bool right_port = entry.port ? port == *entry.port : port == kHttp || port == kHttps;
    const bool right_host = entry.below
                                ? host.size() > entry.name.size() && host.ends_with(entry.name)
                                : host == entry.name;
    return right_port && right_host;
  });
}

}  // namespace pleiad::fetch
