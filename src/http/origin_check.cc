#include "http/origin_check.h"

#include <algorithm>
#include <array>

#include "http/ascii.h"

namespace pleiad::http {
namespace {

constexpr std::array<std::string_view, 5> kProgramSchemes = {"app", "file", "tauri",
                                                             "vscode-webview", "vscode-file"};

bool matches(std::string_view origin, std::string_view pattern) {
  if (!pattern.empty() && pattern.back() == '/') pattern.remove_suffix(1);
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return equal_ignoring_case(origin, pattern);
  const std::string_view head = pattern.substr(0, star);
  const std::string_view tail = pattern.substr(star + 1);
  return origin.size() >= head.size() + tail.size() &&
         equal_ignoring_case(origin.substr(0, head.size()), head) &&
         equal_ignoring_case(origin.substr(origin.size() - tail.size()), tail);
}

/// The page that this server serves. The names alone would be the attacker's
/// where his name points here, so Host must be one of ours.
bool is_own_page(const Authority& page, std::string_view scheme, std::string_view host,
                 const HostRules& hosts) {
  const auto ours = parse_authority(host);
  if (!ours || page.host != ours->host || !host_allowed(host, hosts)) return false;
  const std::uint16_t usual = scheme == "https" ? 443 : 80;
  return page.port.value_or(usual) == ours->port.value_or(usual);
}

}  // namespace

bool origin_allowed(std::string_view origin, std::string_view host, const HostRules& hosts,
                    const std::vector<std::string>& allowed) {
  if (std::any_of(allowed.begin(), allowed.end(),
                  [&](const std::string& pattern) { return matches(origin, pattern); })) {
    return true;
  }
  const std::size_t colon = origin.find("://");
  if (colon == std::string_view::npos) return false;
  const std::string scheme = lowered(origin.substr(0, colon));
  if (std::find(kProgramSchemes.begin(), kProgramSchemes.end(), scheme) != kProgramSchemes.end()) {
    return true;
  }
  if (scheme != "http" && scheme != "https") return false;
  const auto page = parse_authority(origin.substr(colon + 3));
  if (!page) return false;
  return is_this_machine(page->host) || is_own_page(*page, scheme, host, hosts);
}

}  // namespace pleiad::http
