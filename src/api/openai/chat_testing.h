#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "api/common/testing/api_harness.h"
#include "api/openai/openai_routes.h"
#include "base/testing/json.h"

namespace pleiad::api::openai {

inline constexpr const char* kChatCompletions = "/v1/chat/completions";

/// Chat Completions over a service that answers as it is told to.
class Chat : public testing::Test {
 protected:
  Chat() { add_openai_routes(api_.router, api_.context); }

  static Json question() {
    return {{"model", "demo"}, {"messages", {{{"role", "user"}, {"content", "Hi"}}}}};
  }
  static Json with(const std::string& key, Json value) {
    Json body = question();
    body[key] = std::move(value);
    return body;
  }

  /// What the service was asked.
  serving::AnswerRequest asked(const Json& body) {
    const auto answer = api_.post(kChatCompletions, body);
    EXPECT_EQ(answer->status(), 200) << answer->body();
    return api_.service.answers.empty() ? serving::AnswerRequest() : api_.service.answers.back();
  }

  /// The error of a body that has to be refused.
  Json refused(const Json& body) {
    const auto answer = api_.post(kChatCompletions, body);
    EXPECT_EQ(answer->status(), 400) << answer->body();
    EXPECT_TRUE(api_.service.answers.empty());
    return json_of(answer)["error"];
  }

  ApiHarness api_;
};

/// Questions about one part of a user's message.
class ChatParts : public Chat {
 protected:
  /// Of a chat completion.
  static Json of_user(Json part) {
    Json body = question();
    Json& message = body["messages"][0];
    message["content"] = Json::array();
    message["content"].push_back(std::move(part));
    message["content"].push_back({{"type", "text"}, {"text", "What does it say?"}});
    return body;
  }
  /// Of a response.
  static Json input(Json part) {
    Json message = {{"role", "user"}, {"content", Json::array()}};
    message["content"].push_back(std::move(part));
    Json body = {{"model", "demo"}, {"input", Json::array()}};
    body["input"].push_back(std::move(message));
    return body;
  }
};

}  // namespace pleiad::api::openai
