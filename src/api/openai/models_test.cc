#include "api/openai/models.h"

#include <gtest/gtest.h>

#include "api/common/testing/api_harness.h"
#include "api/openai/openai_routes.h"
#include "base/testing/json.h"
#include "store/catalog.h"

namespace pleiad::api::openai {
namespace {

TEST(OpenAiModels, ListsThoseThatCanBeRun) {
  std::vector<store::ModelEntry> entries(2);
  entries[0].name = "hf.co/org/repo:file";
  entries[0].modified = 5;
  entries[0].source = store::Source::hugging_face;
  entries[1].problem = "damaged";
  EXPECT_EQ(model_list(entries), json_from(R"({"object": "list", "data": [
      {"id": "hf.co/org/repo:file", "object": "model", "created": 5,
       "owned_by": "hugging face"}]})"));
}

class ModelRoutes : public testing::Test {
 protected:
  ModelRoutes() : catalog_(store::CatalogOptions{}) {
    add_openai_routes(api_.router, api_.context);
    api_.service.models = &catalog_;
  }

  store::Catalog catalog_;
  ApiHarness api_;
};

TEST_F(ModelRoutes, AnswersTheClientsOfBothApis) {
  EXPECT_EQ(json_of(api_.call("GET", "/v1/models")),
            json_from(R"({"object": "list", "data": []})"));
  EXPECT_EQ(json_of(api_.call("GET", "/v1/models", "", {{"anthropic-version", "2023-06-01"}})),
            json_from(R"({"data": [], "has_more": false, "first_id": null, "last_id": null})"));
}

TEST_F(ModelRoutes, WordsErrorsForBothClients) {
  const std::string target = "/v1/models/hf.co/org/repo:file";
  auto answer = api_.call("GET", target);
  EXPECT_EQ(answer->status(), 404);
  EXPECT_EQ(json_of(answer)["error"]["code"], "model_not_found");
  EXPECT_EQ(json_of(answer)["error"]["param"], "model");
  answer = api_.call("GET", target, "", {{"anthropic-version", "2023-06-01"}});
  EXPECT_EQ(answer->status(), 404);
  EXPECT_EQ(json_of(answer)["error"]["type"], "not_found_error");
  answer = api_.call("GET", "/v1/models?limit=0", "", {{"anthropic-version", "2023-06-01"}});
  EXPECT_EQ(answer->status(), 400);
}

}  // namespace
}  // namespace pleiad::api::openai
