#include "download/exchange_failure.h"

#include <fmt/format.h>

#include <string_view>

#include "base/text_format.h"

namespace pleiad::download {
namespace {

/// What stands in parentheses after our words, where the library says more than the code does.
std::string details(std::string_view text) {
  return text.empty() ? std::string() : fmt::format(" ({})", printable(text, 200));
}

}  // namespace

Problem failure_of(CURLcode code, const Target& target, const RetryPolicy& retry,
                   const char* library_text) {
  const std::string host = target.host();
  const auto unreachable = [&](std::string_view why) {
    return Problem{Trouble::unreachable, fmt::format("{}: {}", host, why)};
  };
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return unreachable("no such host is known");
    case CURLE_COULDNT_RESOLVE_PROXY:
      return unreachable("the proxy's host is not known");
    case CURLE_COULDNT_CONNECT:
      return unreachable(target.proxy.empty() ? "takes no connection"
                                              : "takes no connection, or the proxy does not");
    case CURLE_OPERATION_TIMEDOUT:
      return unreachable(fmt::format("no connection within {:g} seconds", retry.connect_seconds));
    case CURLE_PEER_FAILED_VERIFICATION:
      return {Trouble::not_trusted,
              fmt::format("{}: its certificate is not trusted{}", host, details(library_text))};
    case CURLE_SSL_CACERT_BADFILE:
      return {Trouble::not_trusted,
              fmt::format("{}: the file of trusted authorities cannot be read{}", host,
                          details(library_text))};
    case CURLE_SSL_CONNECT_ERROR:
      return unreachable("no TLS connection" + details(library_text));
    case CURLE_GOT_NOTHING:
      return unreachable("closed the connection without an answer");
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
      return unreachable("the connection broke");
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL:
      return unreachable("what it answers is not HTTP");
    default:
      return unreachable("the request failed" + details(library_text));
  }
}

}  // namespace pleiad::download
