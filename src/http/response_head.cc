#include "http/response_head.h"

#include <fmt/format.h>

#include <ctime>
#include <iterator>

namespace pleiad::http {
namespace {

std::string date_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  // Not strftime, whose names depend on the locale.
  static constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT", kDays[parts.tm_wday], parts.tm_mday,
                     kMonths[parts.tm_mon], parts.tm_year + 1900, parts.tm_hour, parts.tm_min,
                     parts.tm_sec);
}

void add(std::string& text, std::string_view name, std::string_view value) {
  text.append(name).append(": ");
  for (const char c : value) {
    const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    text += is_control ? ' ' : c;
  }
  text += "\r\n";
}

}  // namespace

std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 411:
      return "Length Required";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 507:
      return "Insufficient Storage";
    default:
      return "Unknown";
  }
}

bool has_body(int status) { return status >= 200 && status != 204 && status != 304; }

std::string response_head(int status, std::string_view content_type, const Headers& headers,
                          const Headers& more, const std::string& request_id,
                          const BodyFraming& framing) {
  std::string text = fmt::format("HTTP/1.1 {} {}\r\n", status, reason_of(status));
  add(text, "Server", "pleiad");
  add(text, "Date", date_now());
  if (!request_id.empty()) add(text, "X-Request-Id", request_id);
  if (!content_type.empty()) add(text, "Content-Type", content_type);
  for (const auto& [name, value] : headers) add(text, name, value);
  for (const auto& [name, value] : more) add(text, name, value);
  if (framing.length) add(text, "Content-Length", std::to_string(*framing.length));
  if (framing.chunked) add(text, "Transfer-Encoding", "chunked");
  add(text, "Connection", framing.close ? "close" : "keep-alive");
  text += "\r\n";
  return text;
}

}  // namespace pleiad::http
