#include "client/url.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <new>

#include "base/ascii.h"
#include "base/check.h"

namespace pleiad::client {
namespace {

constexpr std::uint16_t kHttp = 80;
constexpr std::uint16_t kHttps = 443;

using Parts = decltype(Url::parts);

Parts copy_of(const Parts& parts) {
  Parts copy(curl_url_dup(parts.get()), curl_url_cleanup);
  if (!copy) throw std::bad_alloc();
  return copy;
}

/// A part of the URL; empty where it has none.
std::string part_of(CURLU* url, CURLUPart which, unsigned flags = 0) {
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

std::string Url::text() const { return part(CURLUPART_URL); }

std::string Url::part(CURLUPart which) const { return part_of(parts.get(), which); }

std::string Url::bracketed_host() const {
  return host.find(':') == std::string::npos ? host : fmt::format("[{}]", host);
}

std::string Url::authority() const {
  const bool is_usual = port == (secure ? kHttps : kHttp);
  return is_usual ? bracketed_host() : fmt::format("{}:{}", bracketed_host(), port);
}

std::string Url::origin() const {
  return fmt::format("{}://{}", secure ? "https" : "http", authority());
}

Result<Url> Url::resolved(std::string_view reference) const {
  const Parts whole = copy_of(parts);
  const std::string text(reference);
  const bool is_plain = !text.empty() && text.size() <= kLongestUrl && is_printable_ascii(text);
  if (!is_plain || curl_url_set(whole.get(), CURLUPART_URL, text.c_str(),
                                CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK) {
    return Failure{"no URL that can be read"};
  }
  return parse_url(part_of(whole.get(), CURLUPART_URL));
}

Url Url::with_query(std::string_view name, std::string_view value) const {
  Url longer = {copy_of(parts), host, port, secure};
  const std::string pair = fmt::format("{}={}", name, value);
  CHECK(curl_url_set(longer.parts.get(), CURLUPART_QUERY, pair.c_str(),
                     CURLU_APPENDQUERY | CURLU_URLENCODE) == CURLUE_OK);
  return longer;
}

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
  const std::string scheme = part_of(url.parts.get(), CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https") {
    return Failure{"a URL that is neither http:// nor https://"};
  }
  url.secure = scheme == "https";
  if (!part_of(url.parts.get(), CURLUPART_USER).empty() ||
      !part_of(url.parts.get(), CURLUPART_PASSWORD).empty()) {
    return Failure{"a URL with a user or a password: none are sent"};
  }
  url.host = ascii_lower(part_of(url.parts.get(), CURLUPART_HOST));
  if (url.host.starts_with('[') && url.host.ends_with(']')) {
    url.host = url.host.substr(1, url.host.size() - 2);
  }
  if (url.host.ends_with('.')) url.host.pop_back();
  const std::string port = part_of(url.parts.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), url.port);
  if (!is_host(url.host) || error != std::errc() || end != port.data() + port.size() ||
      !part_of(url.parts.get(), CURLUPART_ZONEID).empty()) {
    return Failure{"a URL whose host cannot be read"};
  }
  return url;
}

}  // namespace pleiad::client
