#include "download/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/text_format.h"
#include "download/proxy_choice.h"
#include "http/ip_address.h"
#include "http/public_address.h"

namespace pleiad::download {
namespace {

constexpr std::uint16_t kHttp = 80;
constexpr std::uint16_t kHttps = 443;

}  // namespace

std::string Target::host() const { return url->authority(); }

std::string Target::text() const {
  const std::string whole = url->text();
  return printable(whole.substr(0, whole.find_first_of("?#")), 300);
}

bool Target::is_never_public() const {
  if (is_loopback) return true;
  const auto address = http::parse_ip(url->host);
  return address && !http::is_public(*address);
}

bool Target::has_origin_of(const Target& other) const {
  return url->origin() == other.url->origin();
}

TargetRules::TargetRules(const Surroundings& surroundings) : surroundings_(surroundings) {
  for (const std::string& name : surroundings.insecure_hosts) {
    const auto authority = http::parse_authority(name);
    if (!authority) {
      throw Error("insecure host: expected HOST or HOST:PORT, found '{}'", printable(name));
    }
    insecure_.push_back(*authority);
  }
}

bool TargetRules::is_insecure(const http::Authority& host) const {
  return std::ranges::any_of(insecure_, [&](const http::Authority& some) {
    if (some.host != host.host) return false;
    if (!some.port || some.port == host.port) return true;
    return !host.port && (*some.port == kHttp || *some.port == kHttps);
  });
}

Result<Target> TargetRules::parse(std::string_view text) const {
  Result<client::Url> url = client::parse_url(text);
  if (!url) {
    return Failure{fmt::format("{}: {}", printable(text.substr(0, text.find_first_of("?#")), 300),
                               url.message())};
  }
  Target target = {.url = std::make_shared<const client::Url>(std::move(url.value()))};
  const client::Url& parsed = *target.url;
  target.named_insecure = is_insecure({parsed.host, parsed.port});
  target.is_loopback = http::is_this_machine(parsed.host);
  target.proxy = proxy_for(parsed, surroundings_);
  return target;
}

Result<Target> TargetRules::first(std::string_view url) const {
  Result<Target> parsed = parse(url);
  if (!parsed) return parsed;
  const Target& target = parsed.value();
  if (!target.url->secure && !target.named_insecure && !target.is_loopback) {
    return Failure{fmt::format(
        "{}: is http, which anybody on the way can read and change: use https, or allow it for "
        "the host {}",
        target.text(), target.host())};
  }
  return parsed;
}

Result<Target> TargetRules::next(const Target& from, bool from_public,
                                 std::string_view location) const {
  Result<Target> parsed = parse(location);
  if (!parsed) return Failure{fmt::format("{} leads to {}", from.host(), parsed.message())};
  Target& target = parsed.value();
  const bool stays_here = !from.url->secure && from.is_loopback && target.is_loopback;
  if (!target.url->secure && !target.named_insecure && !stays_here) {
    return Failure{
        fmt::format("{} leads to http, which is not followed: {}", from.host(), target.text())};
  }
  target.only_public = !target.named_insecure && (from.only_public || from_public);
  if (target.only_public && !surroundings_.is_public && target.is_never_public()) {
    return Failure{fmt::format("{} leads to {}, which is not on the public internet", from.host(),
                               target.host())};
  }
  return parsed;
}

}  // namespace pleiad::download
