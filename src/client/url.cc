#include "client/url.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/ascii.h"

namespace pleiad::client {
namespace {

/// A part of the URL; empty where it has none.
std::string part(CURLU* url, CURLUPart which, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, which, &text, flags) != CURLUE_OK) return {};
  const std::unique_ptr<char, decltype(&curl_free)> owner(text, curl_free);
  return text;
}

bool is_printable_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

/// Letters, digits and what else stands in names and in addresses of IPv6.
bool is_host(std::string_view host) {
  return !host.empty() && std::all_of(host.begin(), host.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
           c == ':';
  });
}

}  // namespace

std::string Url::text() const { return part(parts.get(), CURLUPART_URL); }

Result<Url> parse_url(std::string_view text) {
  if (text.size() > kLongestUrl) {
    return Failure{
        fmt::format("a URL of {} bytes; at most {} are taken", text.size(), kLongestUrl)};
  }
  if (!is_printable_ascii(text)) {
    return Failure{"a URL with characters that are not ASCII, or blanks: write them as %XX"};
  }
  Url url = {{curl_url(), curl_url_cleanup}, {}, 0, false};
  if (!url.parts) throw std::bad_alloc();
  const std::string copy(text);
  if (curl_url_set(url.parts.get(), CURLUPART_URL, copy.c_str(), CURLU_NON_SUPPORT_SCHEME) !=
      CURLUE_OK) {
    return Failure{"no URL that can be read: expected https://host/path"};
  }
  const std::string scheme = part(url.parts.get(), CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https") {
    return Failure{"a URL that is neither http:// nor https://"};
  }
  url.secure = scheme == "https";
  if (!part(url.parts.get(), CURLUPART_USER).empty() ||
      !part(url.parts.get(), CURLUPART_PASSWORD).empty()) {
    return Failure{"a URL with a user or a password: none are sent"};
  }
  url.host = ascii_lower(part(url.parts.get(), CURLUPART_HOST));
  if (url.host.starts_with('[') && url.host.ends_with(']')) {
    url.host = url.host.substr(1, url.host.size() - 2);
  }
  if (url.host.ends_with('.')) url.host.pop_back();
  const std::string port = part(url.parts.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), url.port);
  if (!is_host(url.host) || error != std::errc() || end != port.data() + port.size() ||
      !part(url.parts.get(), CURLUPART_ZONEID).empty()) {
    return Failure{"a URL whose host cannot be read"};
  }
  return url;
}

}  // namespace pleiad::client
