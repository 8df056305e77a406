#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "api/anthropic/anthropic_routes.h"
#include "api/common/testing/api_harness.h"
#include "base/testing/json.h"

namespace pleiad::api::anthropic {

inline constexpr const char* kPath = "/v1/messages";

/// Messages, sent to the routes with a service that says what a test wants.
class Messages : public testing::Test {
 protected:
  Messages() { add_anthropic_routes(api_.router, api_.context); }

  static Json question() {
    return {{"model", "demo"},
            {"max_tokens", 100},
            {"messages", {{{"role", "user"}, {"content", "Hi"}}}}};
  }
  static Json with(const std::string& key, Json value) {
    Json body = question();
    body[key] = std::move(value);
    return body;
  }

  const serving::AnswerRequest& asked(const Json& body) {
    const auto answer = api_.post(kPath, body);
    EXPECT_EQ(answer->status(), 200) << answer->body();
    return api_.service.answers.back();
  }

  ApiHarness api_;
};

}  // namespace pleiad::api::anthropic
