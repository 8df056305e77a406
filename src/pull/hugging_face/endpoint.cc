#include "pull/hugging_face/endpoint.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <memory>

#include "base/ascii.h"
#include "base/text_format.h"
#include "client/url.h"

namespace pleiad::pull::hugging_face {
namespace {

constexpr std::string_view kHub = "https://huggingface.co";

using Url = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;

/// Null where it is none.
Url read_url(const std::string& text) {
  Url url(curl_url(), &curl_url_cleanup);
  if (url == nullptr || curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) {
    return Url(nullptr, &curl_url_cleanup);
  }
  return url;
}

/// Empty where the URL has none.
std::string part_of(const Url& url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url.get(), part, &text, flags) != CURLUE_OK || text == nullptr) return {};
  std::string result(text);
  curl_free(text);
  return result;
}

/// "huggingface.co", "127.0.0.1:8080".
std::string host_of(const Url& url) {
  const std::string port = part_of(url, CURLUPART_PORT, CURLU_NO_DEFAULT_PORT);
  return ascii_lower(part_of(url, CURLUPART_HOST)) + (port.empty() ? "" : ":" + port);
}

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
  if (address.find('\0') != std::string_view::npos) return fail("has a zero byte");
  const Url url = read_url(std::string(address));
  const std::string scheme = url == nullptr ? "" : part_of(url, CURLUPART_SCHEME);
  if (scheme != "https" && scheme != "http") {
    return fail("is not the address of a hub: expected https://HOST");
  }
  if (!part_of(url, CURLUPART_USER).empty() || !part_of(url, CURLUPART_PASSWORD).empty()) {
    return fail("has a user or a password: hand a token over as HF_TOKEN instead");
  }
  if (!part_of(url, CURLUPART_QUERY).empty() || !part_of(url, CURLUPART_FRAGMENT).empty()) {
    return fail("has a query or a fragment, which the address of a hub cannot have");
  }
  Endpoint endpoint;
  endpoint.host = host_of(url);
  endpoint.origin = fmt::format("{}://{}", scheme, endpoint.host);
  endpoint.prefix = part_of(url, CURLUPART_PATH);
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
  if (target.find('\0') != std::string_view::npos) return fail("which is no URL");
  const bool is_path = target.starts_with('/') && !target.starts_with("//");
  const Url other = read_url((is_path ? origin : "") + std::string(target));
  if (other == nullptr) return fail("which is no URL");
  const std::string its_origin =
      fmt::format("{}://{}", part_of(other, CURLUPART_SCHEME), host_of(other));
  const std::string query = part_of(other, CURLUPART_QUERY);
  const std::string rest = part_of(other, CURLUPART_PATH) + (query.empty() ? "" : "?" + query);
  if (its_origin == origin) return origin + rest;
  if (its_origin == kHub) return url(rest);
  return fail("which is another host");
}

std::string mirror_authority(std::string_view address) {
  const Result<client::Url> url = client::parse_url(address);
  if (!url) return {};
  const std::string& host = url.value().host;
  for (const std::string_view own : {"huggingface.co", "hf.co"}) {
    if (host == own || host.ends_with("." + std::string(own))) return {};
  }
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return fmt::format("{}:{}", is_ipv6 ? "[" + host + "]" : host, url.value().port);
}

std::string escaped_part(std::string_view text) { return escaped(text, false); }

std::string escaped_path(std::string_view text) { return escaped(text, true); }

}  // namespace pleiad::pull::hugging_face
