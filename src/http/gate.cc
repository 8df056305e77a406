#include "http/gate.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "http/ascii.h"
#include "http/origin_check.h"

namespace pleiad::http {
namespace {

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

/// For messages: what a client sent, without what terminals and logs dislike.
std::string shown(std::string_view text) {
  std::string result(text.substr(0, 100));
  std::replace_if(
      result.begin(), result.end(), [](char c) { return !is_printable(c); }, '?');
  return result;
}

std::optional<Response> check_host(const RequestHead& head, const GateRules& rules, bool is_unix) {
  const HostCheck check = rules.hosts.check;
  if (check == HostCheck::none || host_allowed(head.host, rules.hosts)) return std::nullopt;
  if (check == HostCheck::no_strangers && host_is_no_strangers(head.host, rules.hosts)) {
    return std::nullopt;
  }
  if (head.host.empty() && (is_unix || !head.request.header("host"))) return std::nullopt;
  return plain_error(403,
                     fmt::format("the host \"{}\" is not a name of this server; if it should be, "
                                 "start the server with --allowed-hosts {}",
                                 shown(head.host), shown(head.host)));
}

Headers cors_headers(const RequestHead& head, const std::string& origin) {
  Headers headers = {{"Access-Control-Allow-Origin", origin},
                     {"Vary", "Origin"},
                     {"Access-Control-Expose-Headers", "X-Request-Id, X-Pleiad-Warnings"}};
  if (head.request.header("access-control-request-private-network") == "true") {
    headers.emplace_back("Access-Control-Allow-Private-Network", "true");
  }
  return headers;
}

/// Answers OPTIONS, which needs no key: a browser asks without one.
Response answer_options(const RequestHead& head, const std::vector<std::string>& methods) {
  Response response = {.status = 204, .content_type = "", .body = "", .headers = {}};
  response.headers.emplace_back("Allow", joined(methods));
  if (!head.request.header("origin")) return response;
  response.headers.emplace_back("Access-Control-Allow-Methods", joined(methods));
  response.headers.emplace_back("Access-Control-Max-Age", "600");
  // The page's origin has been allowed, so it may send what it likes; "*" would
  // leave out Authorization.
  const auto wanted = head.request.header("access-control-request-headers");
  if (wanted) response.headers.emplace_back("Access-Control-Allow-Headers", std::string(*wanted));
  return response;
}

/// Where nobody has a key, the server is this machine's alone unless it was told otherwise.
std::optional<Response> check_place(const Route& route, const GateRules& rules, const Whence& from,
                                    const ErrorFormat& on_error) {
  if (route.scope == Scope::open || from.is_local || rules.open_to_others || !rules.keys.empty()) {
    return std::nullopt;
  }
  return on_error(403,
                  fmt::format("this request came {}, and the server has no key; start it with "
                              "--api-key-file FILE{}, or with --insecure if everybody may use it",
                              from.is_forwarded ? "through a proxy" : "from another machine",
                              from.is_forwarded ? " and --trusted-proxy ADDRESS" : ""));
}

Response refuse_access(Access access, const ErrorFormat& on_error) {
  if (access == Access::admin_key_needed) {
    return on_error(403, "this key may use the server, not administer it; an admin key is needed");
  }
  const bool missing = access == Access::key_missing;
  Response response = on_error(401, missing ? "an API key is needed: Authorization: Bearer KEY"
                                            : "the API key is not valid");
  response.headers.emplace_back(
      "WWW-Authenticate",
      missing ? "Bearer realm=\"pleiad\"" : "Bearer realm=\"pleiad\", error=\"invalid_token\"");
  return response;
}

std::optional<Response> check_body(const RequestHead& head, const Route& route,
                                   const Admission& admission) {
  if (head.content_length.value_or(0) > admission.max_body_bytes) {
    return admission.on_error(413, fmt::format("the body has {} bytes; at most {} are accepted",
                                               *head.content_length, admission.max_body_bytes));
  }
  if (route.open_sink && !head.content_length && !head.chunked) {
    return admission.on_error(411, "the body's Content-Length is missing");
  }
  return std::nullopt;
}

}  // namespace

Response plain_error(int status, const std::string& message) {
  // What clients sent may stand in messages; it need not be UTF-8.
  const std::string text = to_text(Json{{"error", message}});
  return {.status = status, .body = text, .headers = {}};
}

Admission admit(const RequestHead& head, const Router& router, const GateRules& rules,
                const Whence& from) {
  Admission admission;
  const Request& request = head.request;
  admission.on_error = router.error_format_near(request.path);
  if (!admission.on_error) admission.on_error = plain_error;

  if ((admission.answer = check_host(head, rules, from.is_unix))) return admission;
  if (const auto origin = request.header("origin")) {
    if (!origin_allowed(*origin, head.host, rules.hosts, rules.origins)) {
      admission.answer = plain_error(
          403, fmt::format("pages of \"{}\" may not use this server; if they should, start the "
                           "server with --origins {}",
                           shown(*origin), shown(*origin)));
      return admission;
    }
    admission.headers = cors_headers(head, std::string(*origin));
  }

  Router::Match match = router.find(request.method, request.path);
  if (match.route == nullptr && request.method == "OPTIONS" &&
      (request.path == "*" || !match.allowed.empty())) {
    admission.answer = answer_options(head, match.allowed);
    return admission;
  }
  if (match.route == nullptr && match.allowed.empty()) {
    admission.answer = admission.on_error(404, fmt::format("{} is not found", request.path));
    return admission;
  }
  if (match.route == nullptr) {
    admission.answer =
        admission.on_error(405, fmt::format("{} does not answer {}, only {}", request.path,
                                            shown(request.method), joined(match.allowed)));
    admission.answer->headers.emplace_back("Allow", joined(match.allowed));
    return admission;
  }

  admission.on_error = match.route->on_error ? match.route->on_error : plain_error;
  admission.max_body_bytes = match.route->max_body_bytes;
  if (admission.max_body_bytes == 0) {
    admission.max_body_bytes =
        match.route->method == "GET" ? rules.light_body_bytes : rules.body_bytes;
  }
  if ((admission.answer = check_place(*match.route, rules, from, admission.on_error))) {
    return admission;
  }
  const Judgement judgement = judge_access(match.route->scope, request, rules.keys, from.is_local);
  if (judgement.access != Access::granted) {
    admission.answer = refuse_access(judgement.access, admission.on_error);
  } else {
    admission.answer = check_body(head, *match.route, admission);
  }
  if (admission.answer) return admission;
  admission.route = match.route;
  admission.caller = judgement.caller;
  admission.arguments = std::move(match.arguments);
  return admission;
}

}  // namespace pleiad::http
