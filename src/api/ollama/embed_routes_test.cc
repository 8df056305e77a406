#include "api/ollama/testing_client.h"
#include "base/testing/json.h"

namespace pleiad::api::ollama {
namespace {

using ::testing::HasSubstr;
using Code = serving::ServiceError::Code;

class EmbedRoutes : public OllamaTest {
 protected:
  EmbedRoutes() {
    serving::EmbedResult result;
    result.embeddings = {{0.1F, -1}, {0.25F, 3e-8F}};
    result.prompt_tokens = 7;
    result.truncated_inputs = 1;
    result.total_seconds = 0.5;
    service_.embedding = result;
  }
};

TEST_F(EmbedRoutes, GiveAVectorForEachInput) {
  EXPECT_EQ(answer("/api/embed", R"({"model": "m", "input": ["a", "b"], "dimensions": 2,
                                     "options": {"num_ctx": 64}})"),
            R"({"model":"m","embeddings":[[0.1,-1.0],[0.25,3e-08]],"total_duration":500000000,)"
            R"("load_duration":0,"prompt_eval_count":7})");
  const serving::EmbedRequest& request = service_.embeds.at(0);
  EXPECT_EQ(request.inputs, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(request.dimensions, 2);
  EXPECT_EQ(request.context_length, 64);
  EXPECT_FALSE(request.truncate);
}

TEST_F(EmbedRoutes, SayWhatWasTruncatedAndWhatHadNoEffect) {
  const Json json = json_from(answer("/api/embed", R"({"model": "m", "input": "a",
      "truncate": true, "options": {"temperature": 0}, "prompt": "b"})"));
  EXPECT_EQ(json["truncated_inputs"], 1);
  EXPECT_EQ(json["warnings"],
            Json({"options.temperature has no effect on embeddings", "unknown field: prompt"}));
}

TEST_F(EmbedRoutes, WithoutInputLoadTheModel) {
  service_.loading = serving::Service::Loaded{2};
  EXPECT_EQ(answer("/api/embed", R"({"model": "m", "input": ""})"),
            R"({"model":"m","embeddings":[],"total_duration":2000000000,)"
            R"("load_duration":2000000000,"prompt_eval_count":0})");
  EXPECT_EQ(answer("/api/embeddings", R"({"model": "m"})"), R"({"embedding":[]})");
  EXPECT_TRUE(service_.embeds.empty());
}

TEST_F(EmbedRoutes, TheOldEndpointGivesOneVector) {
  EXPECT_EQ(answer("/api/embeddings", R"({"model": "m", "prompt": "a"})"),
            R"({"embedding":[0.1,-1.0]})");
}

TEST_F(EmbedRoutes, RefuseWhatIsNoText) {
  EXPECT_THAT(answer("/api/embed", R"({"model": "m", "input": [1, 2]})", 400),
              HasSubstr("input[0]: expected a string, found 1"));
  EXPECT_THAT(answer("/api/embed", R"({"model": "m", "input": {}})", 400), HasSubstr("input:"));
  EXPECT_THAT(answer("/api/embeddings", R"({"prompt": "a"})", 400), HasSubstr("model: missing"));
}

TEST_F(EmbedRoutes, FailuresHaveTheirStatus) {
  service_.embedding = service_error(Code::model_not_found, "");
  EXPECT_THAT(answer("/api/embed", R"({"model": "m", "input": "a"})", 404),
              HasSubstr("model 'm' not found"));
  serving::EmbedResult broken;
  broken.embeddings = {{std::numeric_limits<float>::quiet_NaN()}};
  service_.embedding = broken;
  EXPECT_EQ(answer("/api/embed", R"({"model": "m", "input": "a"})", 500),
            R"({"error":"internal error"})");
}

}  // namespace
}  // namespace pleiad::api::ollama
