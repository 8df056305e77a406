#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <curl/curl.h>

#include "base/result.h"

namespace pleiad::client {

/// A URL, taken apart by the library that will connect by it, so that no two readers of it can
/// differ.
struct Url {
  std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> parts;
  std::string host;  // lower case, without brackets and a dot at the end
  std::uint16_t port = 0;
  bool secure = false;  // https

  std::string text() const;
};

/// An http or https URL without a user and a password, with a host in ASCII. A Failure is what it
/// is instead: "a URL with a user or a password: none are sent".
Result<Url> parse_url(std::string_view text);

/// Bytes of a URL.
inline constexpr std::size_t kLongestUrl = 8192;

}  // namespace pleiad::client
