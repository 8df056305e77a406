// The description names the routes that there are, and no others.

#include "api/openapi/openapi.h"

#include <gtest/gtest.h>

#include <set>

#include "api/anthropic/anthropic_routes.h"
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

TEST(OpenApiTest, DescribesEveryRouteOfTheApis) {
  FakeService service;
  WorkPool worker{1};
  IdSource ids;
  ApiContext context{service, worker, ids};
  http::Router router;
  ollama::add_ollama_routes(router, context);
  openai::add_openai_routes(router, context);
  anthropic::add_anthropic_routes(router, context);
  add_openapi_route(router);

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

TEST(OpenApiTest, EveryReferenceLeadsSomewhere) {
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
