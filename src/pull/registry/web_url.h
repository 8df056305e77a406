#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "client/url.h"

namespace pleiad::pull {

/// A URL that a registry is asked by, or that an answer of one names.
class WebUrl {
 public:
  /// http or https, as client::parse_url has it. Any bytes may be given; a Failure is a sentence
  /// without its subject.
  static Result<WebUrl> parse(std::string_view text);

  /// Where `reference` leads, of an answer to this URL: relative, or a whole URL.
  Result<WebUrl> resolve(std::string_view reference) const;

  /// The same with another parameter behind its query; the value is encoded.
  WebUrl with_query(std::string_view name, std::string_view value) const;

  std::string text() const { return url_.text(); }
  /// Lower case, without a port and brackets.
  const std::string& host() const { return url_.host; }
  /// Scheme, host and port: "https://registry.example.com:443".
  std::string origin() const;

 private:
  explicit WebUrl(client::Url url) : url_(std::move(url)) {}

  client::Url url_;
};

}  // namespace pleiad::pull
