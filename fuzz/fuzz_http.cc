// Any bytes as what a client sends: requests are read the same however the bytes
// are cut, and pass the checks before a handler, or are refused with a text.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/check.h"
#include "http/gate.h"
#include "http/message_parser.h"
#include "http/request_head.h"
#include "http/response_head.h"
#include "http/router.h"

namespace {

using namespace pleiad::http;

struct Message {
  RawHead head;
  std::string body;
  bool has_head = false;
  bool done = false;
  int refused = 0;
};

/// One request, handed in with `step` bytes more each time.
Message read(std::string_view bytes, std::size_t step) {
  MessageParser parser(4096, 20);
  Message message;
  std::size_t begin = 0;
  std::size_t end = 0;
  while (end < bytes.size() && !parser.is_done() && !parser.refusal()) {
    end = std::min(bytes.size(), end + step);
    for (std::size_t used = 1; used > 0 && begin < end && !parser.is_done();) {
      std::vector<std::string_view> pieces;
      used = parser.put(bytes.substr(begin, end - begin), pieces);
      CHECK(used <= end - begin);
      for (const std::string_view piece : pieces) message.body += piece;
      begin += used;
    }
  }
  message.has_head = parser.has_head();
  message.done = parser.is_done();
  if (parser.refusal()) {
    CHECK(!parser.refusal()->message.empty());
    message.refused = parser.refusal()->status;
  }
  message.head = std::move(parser.head());
  return message;
}

Router make_router() {
  Router router;
  const Handler handler = [](const Request&, const std::shared_ptr<Exchange>&) {};
  router.add({.method = "GET", .pattern = "/", .scope = Scope::open, .handler = handler});
  router.add({.method = "POST", .pattern = "/api/chat", .handler = handler});
  router.add({.method = "POST",
              .pattern = "/api/blobs/{digest}",
              .scope = Scope::admin,
              .handler = handler});
  router.add({.method = "GET", .pattern = "/v1/models/{model...}", .handler = handler});
  return router;
}

void check_segments(const Admission& admission, const Request& request) {
  for (const std::string& argument : admission.arguments) {
    CHECK(!argument.empty());
    CHECK(argument.find('\0') == std::string::npos);
    if (admission.route->pattern == "/api/blobs/{digest}") {
      CHECK(argument.find('/') == std::string::npos && argument != "..");
    }
  }
  CHECK(request.path.find("/../") == std::string::npos);
}

const TrustedProxies& proxies() {
  static const TrustedProxies all = parse_trusted_proxies({"127.0.0.0/8"}).value();
  return all;
}

void pass_the_gate(const RequestHead& head, const Router& router, const GateRules& rules) {
  const Admission admission =
      admit(head, router, rules,
            whence(head.request.headers, {"127.0.0.1:1", true, parse_ip("127.0.0.1")}, proxies()));
  CHECK((admission.route == nullptr) == admission.answer.has_value());
  if (admission.route != nullptr) return check_segments(admission, head.request);
  const Response& answer = *admission.answer;
  CHECK(reason_of(answer.status) != "Unknown");
  const std::string text = response_head(answer.status, answer.content_type, answer.headers,
                                         admission.headers, head.request.id, {.length = 0});
  // Nothing that a client sent ends a header.
  const std::size_t n_headers = answer.headers.size() + admission.headers.size();
  CHECK(std::count(text.begin(), text.end(), '\n') <= static_cast<std::ptrdiff_t>(n_headers + 8));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Message whole = read(bytes, std::max<std::size_t>(1, size));
  const Message cut = read(bytes, 1 + size % 7);
  if (whole.refused == 0 && cut.refused == 0) {
    CHECK(whole.done == cut.done);
    CHECK(whole.body == cut.body);
  }
  if (whole.has_head && cut.has_head) {
    CHECK(whole.head.target == cut.head.target);
    CHECK(whole.head.headers == cut.head.headers);
  }
  if (!whole.has_head) return 0;

  auto judged = judge_head(std::move(whole.head), "id");
  if (const auto* refusal = std::get_if<Refusal>(&judged)) {
    CHECK(refusal->status >= 400 && !refusal->message.empty());
    return 0;
  }
  RequestHead& head = std::get<RequestHead>(judged);
  head.request.peer = "127.0.0.1:1";
  const Router router = make_router();
  GateRules rules;
  rules.body_bytes = 1000;
  rules.hosts.names = {"mybox"};
  rules.origins = {"https://*.example"};
  pass_the_gate(head, router, rules);
  rules.keys = KeyRing({"use"}, {"admin"});
  pass_the_gate(head, router, rules);
  return 0;
}
