#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "api/common/testing/fake_exchange.h"
#include "api/common/testing/fake_service.h"
#include "api/ollama/errors.h"
#include "api/ollama/routes.h"
#include "base/error.h"
#include "base/testing/paths.h"
#include "base/testing/test_folder.h"
#include "store/catalog.h"

namespace pleiad::api::ollama {

/// Calls the routes as the server does, with a clock that stands still.
class OllamaTest : public ::testing::Test {
 protected:
  std::shared_ptr<FakeExchange> send(const std::string& method, const std::string& path,
                                     const std::string& body = "", http::Headers headers = {}) {
    auto exchange = std::make_shared<FakeExchange>();
    for (const http::Route& route : routes_) {
      http::Request request;
      if (route.method != method || !matches(route.pattern, path, request)) continue;
      request.id = "r1";
      request.method = method;
      request.path = path;
      request.caller = caller_;
      request.headers = std::move(headers);
      try {
        if (route.open_sink) {
          request.sink = route.open_sink(request);
          request.sink->write(body);
        } else {
          request.body = body;
        }
        route.handler(std::move(request), exchange);
      } catch (const Error& error) {
        exchange->respond(error_response(400, error.what()));
      }
      return exchange;
    }
    ADD_FAILURE() << "no route for " << method << " " << path;
    return exchange;
  }

  std::shared_ptr<FakeExchange> post(const std::string& path, const std::string& body) {
    return send("POST", path, body);
  }
  /// Its answer, whole.
  std::string answer(const std::string& path, const std::string& body, int status = 200) {
    const auto exchange = post(path, body);
    exchange->wait();
    EXPECT_EQ(exchange->status(), status);
    return exchange->body();
  }

  /// Results with known numbers.
  static serving::AnswerResult result(FinishReason reason = FinishReason::stop_token) {
    serving::AnswerResult result;
    result.reason = reason;
    result.stats = {.prompt_tokens = 12,
                    .cached_tokens = 8,
                    .generated_tokens = 3,
                    .prompt_seconds = 0.25,
                    .generation_seconds = 0.5,
                    .media = {}};
    result.total_seconds = 1;
    return result;
  }

  FakeService service_;
  WorkPool worker_{1};
  IdSource ids_;
  http::Caller caller_;  // of the requests that follow
  ApiContext context_{
      service_, worker_,           ids_,
      false,    SpareFields::tell, [] { return std::chrono::system_clock::from_time_t(0); }};
  std::vector<http::Route> routes_ = ollama_routes(context_);

 private:
  static bool matches(const std::string& pattern, const std::string& path, http::Request& request) {
    const auto brace = pattern.find('{');
    if (brace == pattern.npos) return pattern == path;
    if (path.compare(0, brace, pattern, 0, brace) != 0) return false;
    request.arguments = {path.substr(brace)};
    return true;
  }
};

/// The same, of a catalog of its own, with the demo model in it.
class OllamaCatalogTest : public OllamaTest {
 protected:
  OllamaCatalogTest() { service_.models = &catalog_; }

  store::CatalogOptions options() const {
    store::CatalogOptions options;
    options.own = folder_;
    options.demo = source_path("models/demo/pleiad-demo.gguf");
    return options;
  }

  TestFolder folder_;
  store::Catalog catalog_{options()};
};

}  // namespace pleiad::api::ollama
