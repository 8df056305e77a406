#include <cstdlib>
#include <filesystem>

#include "api/ollama/testing_client.h"
#include "base/testing/json.h"
#include "base/testing/paths.h"
#include "digest/sha256.h"
#include "store/catalog.h"

namespace pleiad::api::ollama {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string sha256(const std::string& text) { return "sha256:" + sha256_hex(text); }

class ManageRoutes : public OllamaCatalogTest {
 protected:
  std::vector<std::string> names() {
    const auto exchange = send("GET", "/api/tags");
    exchange->wait();
    const Json answer = json_from(exchange->body());
    std::vector<std::string> names;
    for (const Json& model : answer["models"]) names.push_back(model["name"].get<std::string>());
    return names;
  }
};

TEST_F(ManageRoutes, CreateTellsItsStepsAndShowTheResult) {
  const auto exchange =
      post("/api/create", R"({"model": "mine", "from": "demo", "system": "Be kind.",
                              "parameters": {"top_k": 5}})");
  exchange->wait();
  EXPECT_EQ(exchange->content_type(), "application/x-ndjson");
  EXPECT_EQ(exchange->body(),
            "{\"status\":\"reading model metadata\"}\n{\"status\":\"writing manifest\"}\n"
            "{\"status\":\"success\"}\n");
  const Json shown = json_from(answer("/api/show", R"({"model": "mine"})"));
  EXPECT_EQ(shown["system"], "Be kind.");
  EXPECT_THAT(shown["parameters"].get<std::string>(), HasSubstr("top_k"));
  EXPECT_THAT(shown["modelfile"].get<std::string>(), HasSubstr("FROM "));
  EXPECT_EQ(shown["details"]["family"], "gemma4");
  EXPECT_EQ(answer("/api/create", R"({"model": "b", "from": "demo", "stream": false, "x": 1})"),
            R"({"status":"success","warnings":["unknown field: x"]})");
}

TEST_F(ManageRoutes, CopyAndDeleteChangeTheList) {
  answer("/api/create", R"({"model": "mine", "from": "demo", "stream": false})");
  EXPECT_EQ(answer("/api/copy", R"({"source": "mine", "destination": "yours"})"), "");
  EXPECT_THAT(names(),
              ::testing::UnorderedElementsAre("mine:latest", "yours:latest", HasSubstr("demo")));
  const auto removed = send("DELETE", "/api/delete", R"({"model": "mine"})");
  removed->wait();
  EXPECT_EQ(removed->status(), 200);
  EXPECT_THAT(names(), ::testing::UnorderedElementsAre("yours:latest", HasSubstr("demo")));
}

TEST_F(ManageRoutes, DeletingUnloadsWhatNoOtherNameStandsFor) {
  const fs::path file = folder_ / "elsewhere.gguf";
  fs::copy_file(options().demo, file);
  answer("/api/create",
         R"({"model": "mine", "from": ")" + file.string() + R"(", "stream": false})");
  answer("/api/copy", R"({"source": "mine", "destination": "yours"})");
  answer("/api/copy", R"({"source": "demo", "destination": "theirs"})");
  for (const char* name : {"theirs", "mine"}) {
    send("DELETE", "/api/delete", R"({"model": ")" + std::string(name) + R"("})")->wait();
    EXPECT_TRUE(service_.unloads.empty() && service_.unloaded_files.empty()) << name;
  }
  send("DELETE", "/api/delete", R"({"model": "yours"})")->wait();
  EXPECT_EQ(service_.unloaded_files, (std::vector<fs::path>{file}));
}

TEST_F(ManageRoutes, UnknownFieldsAreNamed) {
  answer("/api/create", R"({"model": "mine", "from": "demo", "stream": false})");
  const std::string warnings = R"("warnings":["unknown field: x"])";
  EXPECT_THAT(answer("/api/show", R"({"model": "mine", "x": 1})"), HasSubstr(warnings));
  EXPECT_THAT(answer("/api/pull", R"({"model": "mine", "x": 1})"), HasSubstr(warnings));
  EXPECT_THAT(answer("/api/copy", R"({"source": "mine", "destination": "a", "x": 1})"),
              HasSubstr(warnings));
  const auto removed = send("DELETE", "/api/delete", R"({"model": "mine", "x": 1})");
  removed->wait();
  EXPECT_THAT(removed->body(), HasSubstr(warnings));
}

TEST_F(ManageRoutes, RefusalsHaveTheirCodeAndField) {
  const Json refused = json_from(answer("/api/show", R"({"model": 7})", 400));
  EXPECT_EQ(refused["code"], "invalid_request");
  EXPECT_EQ(refused["field"], "model");
  EXPECT_THAT(refused["error"].get<std::string>(), HasSubstr("model: expected a string"));
}

TEST_F(ManageRoutes, UnknownModelsAre404) {
  const std::string error = R"("error":"model 'nope' not found","code":"model_not_found")";
  EXPECT_THAT(answer("/api/show", R"({"model": "nope"})", 404), HasSubstr(error));
  EXPECT_THAT(answer("/api/copy", R"({"source": "nope", "destination": "b"})", 404),
              HasSubstr(error));
  EXPECT_THAT(answer("/api/create", R"({"model": "a", "from": "nope"})", 404), HasSubstr(error));
  const auto removed = send("DELETE", "/api/delete", R"({"model": "nope"})");
  removed->wait();
  EXPECT_EQ(removed->status(), 404);
  EXPECT_TRUE(service_.unloaded_files.empty());
}

TEST_F(ManageRoutes, WhatOthersOwnIsNotDeleted) {
  const auto removed = send("DELETE", "/api/delete", R"({"model": "demo"})");
  removed->wait();
  EXPECT_EQ(removed->status(), 400);
  EXPECT_TRUE(service_.unloaded_files.empty());
}

TEST_F(ManageRoutes, BlobsAreKeptUnderTheirDigest) {
  const std::string path = "/api/blobs/" + sha256("some bytes");
  const auto head = [&] {
    const auto exchange = send("HEAD", path);
    exchange->wait();
    return exchange->status();
  };
  EXPECT_EQ(head(), 404);
  EXPECT_EQ(answer(path, "some bytes", 201), "");
  EXPECT_EQ(head(), 200);
  EXPECT_EQ(answer(path, "some bytes", 200), "");
}

TEST_F(ManageRoutes, BlobsOfAnotherDigestLeaveNothing) {
  const std::string path = "/api/blobs/" + sha256("other bytes");
  EXPECT_THAT(answer(path, "some bytes", 400), HasSubstr("error"));
  const auto exchange = send("HEAD", path);
  exchange->wait();
  EXPECT_EQ(exchange->status(), 404);
  EXPECT_THAT(answer("/api/blobs/sha256:..%2f..%2fetc", "x", 400), HasSubstr("error"));
}

TEST_F(ManageRoutes, LoadedModelsAreListedWithoutWaiting) {
  EXPECT_EQ(send("GET", "/api/ps")->body(), R"({"models":[]})");
}

TEST_F(ManageRoutes, WhatChangesModelsNeedsTheAdministratorsKey) {
  for (const http::Route& route : routes_) {
    const bool changes = route.pattern.starts_with("/api/blobs") ||
                         route.pattern == "/api/create" || route.pattern == "/api/copy" ||
                         route.pattern == "/api/delete" || route.pattern == "/api/pull" ||
                         route.pattern == "/api/push";
    EXPECT_EQ(route.scope == http::Scope::admin, changes) << route.pattern;
  }
}

}  // namespace
}  // namespace pleiad::api::ollama
