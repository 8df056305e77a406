#include "pull/registry/web_url.h"

#include <fmt/format.h>

#include <memory>

#include "base/check.h"

namespace pleiad::pull {
namespace {

using CurlUrl = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;

CurlUrl copy_of(const client::Url& url) {
  CurlUrl copy(curl_url_dup(url.parts.get()), &curl_url_cleanup);
  CHECK(copy != nullptr);
  return copy;
}

std::string text_of(const CurlUrl& url) {
  char* text = nullptr;
  CHECK(curl_url_get(url.get(), CURLUPART_URL, &text, 0) == CURLUE_OK);
  const std::unique_ptr<char, decltype(&curl_free)> owner(text, curl_free);
  return text;
}

}  // namespace

Result<WebUrl> WebUrl::parse(std::string_view text) {
  auto url = client::parse_url(text);
  if (!url) return Failure{"is " + url.message()};
  return WebUrl(std::move(url).value());
}

Result<WebUrl> WebUrl::resolve(std::string_view reference) const {
  const CurlUrl url = copy_of(url_);
  const bool plain = !reference.empty() && reference.size() <= client::kLongestUrl &&
                     reference.find('\0') == std::string_view::npos;
  if (!plain || curl_url_set(url.get(), CURLUPART_URL, std::string(reference).c_str(),
                             CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK) {
    return Failure{"is no URL that can be read"};
  }
  return parse(text_of(url));
}

WebUrl WebUrl::with_query(std::string_view name, std::string_view value) const {
  const CurlUrl url = copy_of(url_);
  const std::string pair = fmt::format("{}={}", name, value);
  CHECK(curl_url_set(url.get(), CURLUPART_QUERY, pair.c_str(),
                     CURLU_APPENDQUERY | CURLU_URLENCODE) == CURLUE_OK);
  client::Url result = {
      {curl_url_dup(url.get()), &curl_url_cleanup}, url_.host, url_.port, url_.secure};
  CHECK(result.parts != nullptr);
  return WebUrl(std::move(result));
}

std::string WebUrl::origin() const {
  return fmt::format("{}://{}:{}", url_.secure ? "https" : "http", url_.host, url_.port);
}

}  // namespace pleiad::pull
