#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <thread>

#include "api/ollama/testing_client.h"
#include "base/testing/json.h"
#include "base/testing/paths.h"
#include "pull/testing/fake_source.h"
#include "store/catalog.h"

namespace pleiad::api::ollama {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A catalog with the demo model, and a host that has whatever one asks for.
class TransferRoutes : public OllamaCatalogTest {
 protected:
  TransferRoutes() { context_.transfers = &desk_; }

  static std::vector<Json> lines(const std::string& body) {
    std::vector<Json> result;
    std::istringstream stream(body);
    for (std::string line; std::getline(stream, line);) result.push_back(json_from(line));
    return result;
  }

  pull::FakeHost host_;
  pull::PullDesk desk_{
      [this](const pull::ModelReference&, bool insecure) -> Result<std::unique_ptr<pull::Source>> {
        return host_.source(insecure);
      },
      [this](const pull::ModelReference&, bool) -> Result<std::unique_ptr<pull::Destination>> {
        return host_.destination();
      }};
};

TEST_F(TransferRoutes, PullTellsItsStepsInTheWordsThatClientsKnow) {
  const auto exchange = post("/api/pull", R"({"model": "gemma4:e2b", "x": 1})");
  exchange->wait();
  EXPECT_EQ(exchange->content_type(), "application/x-ndjson");
  const std::vector<Json> steps = lines(exchange->body());
  ASSERT_GE(steps.size(), 5U);
  EXPECT_EQ(steps[0], (Json{{"status", "pulling manifest"}}));
  EXPECT_EQ(steps[1]["name"], "gemma4:e2b");
  EXPECT_EQ(steps[1]["size"], 1000);
  EXPECT_EQ(steps[1]["license"], "apache-2.0");
  EXPECT_EQ(steps[2]["status"], "pulling aaaaaaaaaaaa");
  EXPECT_EQ(steps[2]["digest"], pull::FakeSource::kDigest);
  EXPECT_EQ(steps[2]["total"], 1000);
  EXPECT_EQ(steps[2]["completed"], 100);
  EXPECT_EQ(steps[steps.size() - 2], (Json{{"status", "writing manifest"}}));
  EXPECT_EQ(to_text(steps.back()), R"({"status":"success","warnings":["unknown field: x"]})");
}

TEST_F(TransferRoutes, WhatIsLeftOutIsToldAtTheEnd) {
  host_.leave_out("its projector");
  EXPECT_EQ(answer("/api/pull", R"({"model": "gemma4:e2b", "stream": false})"),
            R"({"status":"success","left_out":["its projector"]})");
}

TEST_F(TransferRoutes, WithoutAStreamTheEndAloneIsTold) {
  EXPECT_EQ(answer("/api/pull", R"({"name": "gemma4:e2b", "stream": false, "insecure": true})"),
            R"({"status":"success"})");
  EXPECT_TRUE(host_.insecure());
  host_.refuse("registry.ollama.ai: there is no 'gemma4:e3b'");
  EXPECT_THAT(answer("/api/pull", R"({"model": "gemma4:e3b", "stream": false})", 500),
              HasSubstr("there is no 'gemma4:e3b'"));
}

TEST_F(TransferRoutes, FailuresStandInTheStream) {
  host_.fail("registry.ollama.ai: the connection broke off 6 times");
  const auto exchange = post("/api/pull", R"({"model": "gemma4:e2b"})");
  exchange->wait();
  EXPECT_EQ(exchange->status(), 200);
  EXPECT_EQ(to_text(lines(exchange->body()).back()),
            R"({"error":"registry.ollama.ai: the connection broke off 6 times"})");
}

TEST_F(TransferRoutes, AClientWhoGoesAwayStopsWhatHeAloneWanted) {
  host_.hold();
  const auto first = post("/api/pull", R"({"model": "gemma4:e2b"})");
  const auto second = post("/api/pull", R"({"model": "gemma4:e2b"})");
  host_.await_held(1);
  while (second->pieces().empty()) std::this_thread::yield();  // it has joined
  first->go_away();
  host_.let_go();
  second->wait();
  EXPECT_EQ(lines(second->body()).back(), (Json{{"status", "success"}}));
  EXPECT_EQ(host_.n_fetches(), 1);

  host_.hold();
  const auto alone = post("/api/pull", R"({"model": "gemma4:e2b"})");
  host_.await_held(2);
  alone->go_away();
  host_.await_stopped(1);
}

TEST_F(TransferRoutes, WhatWasMadeHereIsAsGoodAsPulled) {
  answer("/api/create", R"({"model": "mine", "from": "demo", "stream": false})");
  for (const char* name : {"demo", "mine"}) {
    const auto exchange = post("/api/pull", R"({"model": ")" + std::string(name) + R"("})");
    exchange->wait();
    EXPECT_EQ(exchange->body(), "{\"status\":\"pulling manifest\"}\n{\"status\":\"success\"}\n");
  }
  EXPECT_EQ(host_.n_fetches(), 0);
}

TEST_F(TransferRoutes, WhatIsNoNameIsRefusedWithItsField) {
  for (const char* name : {"hf:gemma", "/etc/passwd", "http://host/a/b", "a b"}) {
    const Json refused =
        json_from(answer("/api/pull", R"({"model": ")" + std::string(name) + R"("})", 400));
    EXPECT_EQ(refused["field"], "model") << name;
  }
}

TEST_F(TransferRoutes, PushSendsAModelAtHand) {
  answer("/api/copy", R"({"source": "demo", "destination": "localhost:5000/me/mine"})");
  const auto exchange = post("/api/push", R"({"model": "localhost:5000/me/mine"})");
  exchange->wait();
  std::vector<std::string> statuses;
  for (const Json& line : lines(exchange->body())) {
    statuses.push_back(line["status"].get<std::string>());
  }
  EXPECT_THAT(statuses, ElementsAre("retrieving manifest", "pushing aaaaaaaaaaaa",
                                    "pushing manifest", "success"));
  EXPECT_EQ(host_.pushed(), "localhost:5000/me/mine:latest as localhost:5000/me/mine:latest");
  EXPECT_THAT(answer("/api/push", R"({"model": "nope"})", 404),
              HasSubstr("model 'nope' not found"));
}

TEST_F(TransferRoutes, AServerThatPullsNothingSaysSo) {
  context_.transfers = nullptr;
  EXPECT_EQ(answer("/api/pull", R"({"model": "demo", "stream": false})"),
            R"({"status":"success"})");
  EXPECT_THAT(answer("/api/pull", R"({"model": "gemma4:e2b"})", 403), HasSubstr("--no-pull"));
  EXPECT_THAT(answer("/api/push", R"({"model": "demo"})", 403), HasSubstr("--no-pull"));
}

}  // namespace
}  // namespace pleiad::api::ollama
