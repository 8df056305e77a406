#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/common/context.h"
#include "api/common/testing/fake_exchange.h"
#include "api/common/testing/fake_service.h"
#include "base/check.h"
#include "base/testing/json.h"
#include "http/router.h"

namespace pleiad::api {

/// Routes over a fake service, called without sockets. Times are always the same.
struct ApiHarness {
  FakeService service;
  WorkPool worker{1};
  IdSource ids;
  ApiContext context{service, worker, ids, false, SpareFields::tell, [] {
                       return std::chrono::system_clock::from_time_t(1'700'000'000);
                     }};
  http::Router router;
  http::Caller caller;  // of the requests that follow

  using Answer = std::shared_ptr<FakeExchange>;

  /// The answer so far: a service that holds its answers leaves it open.
  Answer begin(const std::string& method, const std::string& target, std::string body = {},
               std::vector<std::pair<std::string, std::string>> headers = {}) {
    http::Request request;
    request.id = "req-1";
    request.method = method;
    request.path = target.substr(0, target.find('?'));
    request.caller = caller;
    read_query(target, request);
    request.headers = std::move(headers);
    request.body = std::move(body);
    const http::Router::Match match = router.find(method, request.path);
    CHECK(match.route, "no route for {} {}", method, target);
    request.arguments = match.arguments;
    auto exchange = std::make_shared<FakeExchange>();
    match.route->handler(std::move(request), exchange);
    return exchange;
  }

  /// The whole answer.
  Answer call(const std::string& method, const std::string& target, std::string body = {},
              std::vector<std::pair<std::string, std::string>> headers = {}) {
    Answer answer = begin(method, target, std::move(body), std::move(headers));
    answer->wait();
    return answer;
  }

  Answer post(const std::string& target, const Json& body) {
    return call("POST", target, to_text(body));
  }

 private:
  static void read_query(const std::string& target, http::Request& request) {
    auto at = target.find('?');
    while (at != target.npos) {
      const auto end = target.find('&', at + 1);
      const std::string pair = target.substr(at + 1, end - at - 1);
      request.query[pair.substr(0, pair.find('='))] = pair.substr(pair.find('=') + 1);
      at = end;
    }
  }
};

/// The JSON of an answer that is one body.
inline Json json_of(const ApiHarness::Answer& answer) { return json_from(answer->body()); }

/// A stream's events: their names ("" for none) and their data; "[DONE]" as a string.
struct StreamEvent {
  std::string name;
  Json data;
};
inline std::vector<StreamEvent> events_of(const ApiHarness::Answer& answer) {
  std::vector<StreamEvent> events;
  for (std::string piece : answer->pieces()) {
    StreamEvent event;
    CHECK(piece.size() > 2 && piece.substr(piece.size() - 2) == "\n\n", "{}", piece);
    if (piece.rfind("event: ", 0) == 0) {
      event.name = piece.substr(7, piece.find('\n') - 7);
      piece.erase(0, piece.find('\n') + 1);
    }
    CHECK(piece.rfind("data: ", 0) == 0, "{}", piece);
    const std::string data = piece.substr(6, piece.size() - 8);
    event.data = data == "[DONE]" ? Json(data) : json_from(data);
    events.push_back(std::move(event));
  }
  return events;
}

inline serving::AnswerResult finished_result(std::int64_t prompt, std::int64_t cached,
                                             std::int64_t generated) {
  serving::AnswerResult result;
  result.stats.prompt_tokens = prompt;
  result.stats.cached_tokens = cached;
  result.stats.generated_tokens = generated;
  return result;
}

inline serving::AnswerLogprob logprob_of(std::string bytes, double logprob) {
  serving::AnswerLogprob entry;
  entry.token = {1, std::move(bytes), logprob};
  entry.top = {entry.token};
  return entry;
}

}  // namespace pleiad::api
