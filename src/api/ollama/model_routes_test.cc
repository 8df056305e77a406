#include <cstdlib>
#include <filesystem>

#include "api/ollama/testing_client.h"
#include "base/testing/json.h"
#include "base/testing/paths.h"
#include "store/catalog.h"

namespace pleiad::api::ollama {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class ModelRoutes : public OllamaTest {
 protected:
  ModelRoutes() : catalog_(options(true)) { service_.models = &catalog_; }

  static store::CatalogOptions options(bool local) {
    store::CatalogOptions options;
    options.demo = fs::path(source_path()) / "models" / "demo" / "pleiad-demo.gguf";
    options.folders = {"/somewhere/models"};
    options.allow_paths = local;
    return options;
  }

  Json show(const std::string& body, http::Headers headers = {}) {
    const auto exchange = send("POST", "/api/show", body, std::move(headers));
    exchange->wait();
    EXPECT_EQ(exchange->status(), 200);
    return json_from(exchange->body());
  }

  store::Catalog catalog_;
};

TEST_F(ModelRoutes, ShowTellsWhatClientsComputeMemoryFrom) {
  const Json shown = show(R"({"model": "demo"})");
  const Json& info = shown["model_info"];
  EXPECT_EQ(info["general.architecture"], "gemma4");
  EXPECT_EQ(info["gemma4.block_count"], 8);
  EXPECT_EQ(info["gemma4.context_length"], 4096);
  EXPECT_TRUE(info["tokenizer.ggml.tokens"].is_null());
  EXPECT_EQ(shown["tensors"].size(), 133U);
  EXPECT_FALSE(shown.contains("warnings"));
}

TEST_F(ModelRoutes, VerboseAddsVocabularies) {
  const Json shown = show(R"({"model": "demo", "verbose": true})");
  EXPECT_EQ(shown["model_info"]["tokenizer.ggml.tokens"].size(), 2048U);
}

TEST_F(ModelRoutes, CopilotSeesTheNameThatTheUserKnows) {
  const Json plain = show(R"({"model": "demo"})");
  EXPECT_FALSE(plain["model_info"].contains("general.basename"));
  const Json copilot = show(R"({"model": "demo"})", {{"user-agent", "GitHubCopilotChat/0.33.0"}});
  EXPECT_EQ(copilot["model_info"]["general.basename"], "demo");
}

TEST_F(ModelRoutes, LongAnswersThatNobodyTakesAreFew) {
  const std::string body = R"({"model": "demo", "verbose": true})";
  std::vector<std::shared_ptr<FakeExchange>> held;
  for (int i = 0; i < 4; ++i) {
    held.push_back(post("/api/show", body));
    held.back()->wait();
    EXPECT_EQ(held.back()->status(), 200);
  }
  const auto refused = post("/api/show", body);
  refused->wait();
  EXPECT_EQ(refused->status(), 503);
  EXPECT_EQ(json_from(refused->body())["code"], "server_busy");
  EXPECT_EQ(answer("/api/show", R"({"model": "demo"})").find("server_busy"), std::string::npos);
  held[1]->go_away();
  EXPECT_NE(answer("/api/show", body), "");
}

TEST_F(ModelRoutes, OnlyWhereEverybodyIsLocalAreFoldersTold) {
  const std::string body = R"({"model": "nothing"})";
  EXPECT_THAT(answer("/api/show", body, 404), HasSubstr("/somewhere/models"));
  EXPECT_THAT(show(R"({"model": "demo"})")["modelfile"].get<std::string>(),
              HasSubstr("pleiad-demo.gguf"));
  store::Catalog guarded(options(false));
  service_.models = &guarded;
  EXPECT_THAT(answer("/api/show", body, 404), Not(HasSubstr("/somewhere")));
  const Json shown = show(R"({"model": "demo"})");
  EXPECT_THAT(shown["modelfile"].get<std::string>(), HasSubstr("FROM demo:latest\n"));
  EXPECT_THAT(to_text(shown), Not(HasSubstr(source_path())));
}

}  // namespace
}  // namespace pleiad::api::ollama
