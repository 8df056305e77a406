#include "pull/hugging_face/endpoint.h"

#include <fmt/format.h>

#include "base/text_format.h"
#include "client/url.h"

namespace pleiad::pull::hugging_face {
namespace {

constexpr std::string_view kHub = "https://huggingface.co";

std::string escaped(std::string_view text, bool slashes_stay) {
  std::string result;
  for (const char c : text) {
    const bool stays = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~' || (c == '/' && slashes_stay);
    if (stays) {
      result += c;
    } else {
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return result;
}

}  // namespace

Result<Endpoint> Endpoint::parse(std::string_view address) {
  const auto fail = [&](const std::string& why) {
    return Failure{fmt::format("'{}' {}", printable(address), why)};
  };
  const Result<client::Url> url = client::parse_url(address);
  if (!url) {
    return fail(fmt::format(
        "is {}; the address of a hub is https://HOST, and a token is handed over as HF_TOKEN",
        url.message()));
  }
  if (!url.value().part(CURLUPART_QUERY).empty() || !url.value().part(CURLUPART_FRAGMENT).empty()) {
    return fail("has a query or a fragment, which the address of a hub cannot have");
  }
  Endpoint endpoint;
  endpoint.host = url.value().authority();
  endpoint.origin = url.value().origin();
  endpoint.prefix = url.value().part(CURLUPART_PATH);
  while (endpoint.prefix.ends_with('/')) endpoint.prefix.pop_back();
  return endpoint;
}

std::string Endpoint::url(std::string_view path) const {
  return fmt::format("{}{}{}", origin, prefix, path);
}

Result<std::string> Endpoint::own_url(std::string_view target) const {
  const auto fail = [&](const char* why) {
    return Failure{fmt::format("leads to '{}', {}", printable(target), why)};
  };
  const bool is_path = target.starts_with('/') && !target.starts_with("//");
  const Result<client::Url> url =
      client::parse_url((is_path ? origin : std::string()) + std::string(target));
  if (!url) return fail("which is no URL");
  const std::string query = url.value().part(CURLUPART_QUERY);
  const std::string rest = url.value().part(CURLUPART_PATH) + (query.empty() ? "" : "?" + query);
  if (url.value().origin() == origin) return origin + rest;
  if (url.value().origin() == kHub) return this->url(rest);
  return fail("which is another host");
}

std::string mirror_authority(std::string_view address) {
  const Result<client::Url> url = client::parse_url(address);
  if (!url) return {};
  const std::string& host = url.value().host;
  for (const std::string_view own : {"huggingface.co", "hf.co"}) {
    if (host == own || host.ends_with("." + std::string(own))) return {};
  }
  return fmt::format("{}:{}", url.value().bracketed_host(), url.value().port);
}

std::string escaped_part(std::string_view text) { return escaped(text, false); }

std::string escaped_path(std::string_view text) { return escaped(text, true); }

}  // namespace pleiad::pull::hugging_face
