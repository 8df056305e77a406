#include "http/request_head.h"

#include <algorithm>
#include <charconv>

#include "http/ascii.h"
#include "http/target.h"

namespace pleiad::http {
namespace {

constexpr std::size_t kLongestId = 128;

std::size_t count(const Request& request, std::string_view name) {
  return static_cast<std::size_t>(
      std::count_if(request.headers.begin(), request.headers.end(),
                    [&](const auto& header) { return header.first == name; }));
}

std::optional<Refusal> judge_body(RequestHead& head, bool http11) {
  const auto length = head.request.header("content-length");
  const auto encoding = head.request.header("transfer-encoding");
  if (length && encoding) {
    return Refusal{400, "Content-Length and Transfer-Encoding exclude each other"};
  }
  if (length) {
    std::uint64_t value = 0;
    const char* const end = length->data() + length->size();
    const auto result = std::from_chars(length->data(), end, value);
    if (count(head.request, "content-length") > 1 || result.ec != std::errc() ||
        result.ptr != end) {
      return Refusal{400, "Content-Length must be given once, as a number"};
    }
    head.content_length = value;
  }
  if (!encoding) return std::nullopt;
  if (!http11) return Refusal{400, "Transfer-Encoding needs HTTP/1.1"};
  if (count(head.request, "transfer-encoding") > 1 || !equal_ignoring_case(*encoding, "chunked")) {
    return Refusal{501, "Transfer-Encoding: \"chunked\" is the only one that is understood"};
  }
  head.chunked = true;
  return std::nullopt;
}

std::optional<Refusal> judge_host(RequestHead& head, const std::string& authority, bool http11) {
  const auto host = head.request.header("host");
  if (count(head.request, "host") > 1) return Refusal{400, "Host must be given once"};
  if (!host && http11) return Refusal{400, "the header Host is missing"};
  if (!authority.empty() && host && !equal_ignoring_case(*host, authority)) {
    return Refusal{400, "Host and the request's target name two different hosts"};
  }
  head.host = authority.empty() ? std::string(host.value_or("")) : authority;
  return std::nullopt;
}

std::optional<Refusal> judge_expectation(RequestHead& head, bool http11) {
  const auto expect = head.request.header("expect");
  if (!expect || !http11) return std::nullopt;  // HTTP/1.0 knows none: ignored
  if (!equal_ignoring_case(*expect, "100-continue")) {
    return Refusal{417, "Expect: \"100-continue\" is the only one that is understood"};
  }
  head.expects_continue = true;
  return std::nullopt;
}

bool stays_open(const Request& request, bool http11) {
  bool close = !http11;
  for (const auto& [name, value] : request.headers) {
    if (name != "connection") continue;
    if (list_contains(value, "close")) return false;
    if (list_contains(value, "keep-alive")) close = false;
  }
  return !close;
}

}  // namespace

std::variant<RequestHead, Refusal> judge_head(RawHead raw, std::string id) {
  const bool http11 = raw.version >= 11;
  auto parsed = parse_target(raw.target);
  if (auto* refusal = std::get_if<Refusal>(&parsed)) return *refusal;
  Target& target = std::get<Target>(parsed);
  if (target.path == "*" && raw.method != "OPTIONS") {
    return Refusal{400, "the target \"*\" is for OPTIONS alone"};
  }

  RequestHead head;
  head.may_be_chunked = http11;
  head.request.method = std::move(raw.method);
  head.request.path = std::move(target.path);
  head.request.query = std::move(target.query);
  head.request.headers = std::move(raw.headers);
  head.keep_alive = stays_open(head.request, http11);
  if (auto refusal = judge_host(head, target.authority, http11)) return *refusal;
  if (auto refusal = judge_body(head, http11)) return *refusal;
  if (auto refusal = judge_expectation(head, http11)) return *refusal;

  const auto own = head.request.header("x-request-id");
  const bool fits = own && !own->empty() && own->size() <= kLongestId &&
                    std::all_of(own->begin(), own->end(), is_printable);
  head.request.id = fits ? std::string(*own) : std::move(id);
  return head;
}

}  // namespace pleiad::http
