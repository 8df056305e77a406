#include "download/proxy_choice.h"

#include <algorithm>

#include "base/ascii.h"
#include "http/authority.h"
#include "http/ip_address.h"

namespace pleiad::download {
namespace {

/// The part before the first comma or blank, which is taken away with it.
std::string_view next_entry(std::string_view& list) {
  const std::size_t end = std::min(list.find_first_of(", \t"), list.size());
  const std::string_view entry = list.substr(0, end);
  list.remove_prefix(std::min(end + 1, list.size()));
  return entry;
}

bool is_or_is_below(std::string_view host, std::string_view domain) {
  if (!host.ends_with(domain)) return false;
  return host.size() == domain.size() || host[host.size() - domain.size() - 1] == '.';
}

}  // namespace

bool is_without_proxy(std::string_view no_proxy, std::string_view host) {
  const auto address = http::parse_ip(host);
  while (!no_proxy.empty()) {
    std::string entry = ascii_lower(next_entry(no_proxy));
    if (entry == "*") return true;
    if (entry.starts_with('[') && entry.ends_with(']')) entry = entry.substr(1, entry.size() - 2);
    if (address) {
      const auto network = http::parse_network(entry);
      if (network && network.value().contains(*address)) return true;
      continue;
    }
    if (entry.starts_with('.')) entry.erase(0, 1);
    if (entry.ends_with('.')) entry.pop_back();
    if (!entry.empty() && is_or_is_below(host, entry)) return true;
  }
  return false;
}

std::string proxy_for(const client::Url& url, const Surroundings& surroundings) {
  const std::string& proxy = url.secure ? surroundings.https_proxy : surroundings.http_proxy;
  if (proxy.empty() || http::is_this_machine(url.host)) return {};
  return is_without_proxy(surroundings.no_proxy, url.host) ? std::string() : proxy;
}

}  // namespace pleiad::download
