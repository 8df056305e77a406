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
  /// As it stands in the text; empty: it has none.
  std::string part(CURLUPart which) const;
  /// "example.com", "[::1]".
  std::string bracketed_host() const;
  /// "example.com", or "example.com:8080" where the port is not the scheme's.
  std::string authority() const;
  /// "https://example.com": whom a request goes to, and how.
  std::string origin() const;

  /// Where a reference leads from here: relative, or a whole URL. Any bytes may be given; a Failure
  /// as parse_url() has it.
  Result<Url> resolved(std::string_view reference) const;
  /// The same with another parameter behind its query; the value is encoded.
  Url with_query(std::string_view name, std::string_view value) const;
};

/// An http or https URL without a user and a password, with a host in ASCII. A Failure is what it
/// is instead: "a URL with a user or a password: none are sent".
Result<Url> parse_url(std::string_view text);

/// Bytes of a URL.
inline constexpr std::size_t kLongestUrl = 8192;

}  // namespace pleiad::client
