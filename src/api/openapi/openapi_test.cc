// The description names the routes that there are, and no others.

#include "api/openapi/openapi.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "api/anthropic/anthropic_routes.h"
#include "api/common/body_limits.h"
#include "api/common/testing/fake_service.h"
#include "api/ollama/routes.h"
#include "api/openai/openai_routes.h"
#include "base/json.h"

namespace pleiad::api {
namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

class OpenApiTest : public ::testing::Test {
 protected:
  OpenApiTest() {
    ollama::add_ollama_routes(router, context_);
    openai::add_openai_routes(router, context_);
    anthropic::add_anthropic_routes(router, context_);
    add_openapi_route(router);
  }

  http::Router router;

 private:
  FakeService service_;
  WorkPool worker_{1};
  IdSource ids_;
  ApiContext context_{service_, worker_, ids_};
};

TEST_F(OpenApiTest, OnlyRoutesThatNeedLongBodiesTakeThem) {
  const std::map<std::string, std::uint64_t> said = {
      {"/api/chat", kAnswerBodyBytes},
      {"/api/generate", kAnswerBodyBytes},
      {"/api/pages", kAnswerBodyBytes},
      {"/v1/chat/completions", kAnswerBodyBytes},
      {"/v1/audio/transcriptions", kAnswerBodyBytes},
      {"/v1/audio/translations", kAnswerBodyBytes},
      {"/v1/completions", kAnswerBodyBytes},
      {"/v1/responses", kAnswerBodyBytes},
      {"/v1/responses/compact", kAnswerBodyBytes},
      {"/v1/responses/input_tokens", kAnswerBodyBytes},
      {"/v1/messages", kAnswerBodyBytes},
      {"/v1/messages/count_tokens", kAnswerBodyBytes},
      {"/api/embed", kTextBodyBytes},
      {"/api/embeddings", kTextBodyBytes},
      {"/v1/embeddings", kTextBodyBytes},
      {"/api/create", kRecipeBodyBytes},
  };
  std::size_t n_said = 0;
  for (const auto& route : router.routes()) {
    if (route->open_sink) continue;  // goes to the disk
    const auto found = said.find(route->pattern);
    n_said += found == said.end() ? 0 : 1;
    // 0: the server's own limit, kNameBodyBytes.
    EXPECT_EQ(route->max_body_bytes, found == said.end() ? 0 : found->second) << route->pattern;
  }
  EXPECT_EQ(n_said, said.size());
}

TEST_F(OpenApiTest, DescribesEveryRouteOfTheApis) {
  const Json document = parse_json(openapi_document(), "openapi.json");
  std::set<std::string> described;
  for (const auto& [path, methods] : document["paths"].items()) {
    for (const auto& [method, operation] : methods.items()) described.insert(method + " " + path);
  }
  std::set<std::string> routed;
  for (const auto& route : router.routes()) {
    std::string pattern = route->pattern;
    if (const auto rest = pattern.find("...}"); rest != std::string::npos) pattern.erase(rest, 3);
    // HEAD of a blob is how Ollama's clients ask for it; "/" is for people.
    if (pattern != "/") routed.insert(lower(route->method) + " " + pattern);
  }
  // These are the program's own.
  for (const char* own : {"get /health", "get /metrics"}) EXPECT_EQ(described.erase(own), 1U);
  EXPECT_EQ(described, routed);
}

TEST_F(OpenApiTest, EveryReferenceLeadsSomewhere) {
  const Json document = parse_json(openapi_document(), "openapi.json");
  const std::string text = to_text(document);
  constexpr std::string_view kBegin = "\"$ref\":\"#";
  int n_references = 0;
  for (std::size_t at = 0; (at = text.find(kBegin, at)) != std::string::npos; ++n_references) {
    at += kBegin.size();
    const std::string pointer = text.substr(at, text.find('"', at) - at);
    EXPECT_TRUE(document.contains(Json::json_pointer(pointer))) << pointer;
  }
  EXPECT_GT(n_references, 30);
}

}  // namespace
}  // namespace pleiad::api
