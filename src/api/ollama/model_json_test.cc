#include "api/ollama/model_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace pleiad::api::ollama {
namespace {

using ::testing::HasSubstr;

store::ModelEntry entry() {
  store::ModelEntry entry;
  entry.name = "gemma4:e2b";
  entry.digest = "abc";
  entry.size_bytes = 99;
  entry.modified = 60;
  entry.parent = "base";
  entry.details =
      store::ModelDetails{"gguf", "gemma4", "5.1B", "Q4_0", 5'100'000'000, 131072, 1536};
  return entry;
}

constexpr const char* kDetails =
    R"("details":{"parent_model":"base","format":"gguf","family":"gemma4","families":["gemma4"],)"
    R"("parameter_size":"5.1B","quantization_level":"Q4_0","context_length":131072,)"
    R"("embedding_length":1536})";
constexpr const char* kCapabilities = R"("capabilities":["completion","tools","thinking"])";

TEST(ModelJson, TagsNameEveryField) {
  EXPECT_EQ(to_text(tag_json(entry())),
            R"({"name":"gemma4:e2b","model":"gemma4:e2b","modified_at":"1970-01-01T00:01:00Z",)"
            R"("size":99,"digest":"abc",)" +
                std::string(kDetails) + "," + kCapabilities + R"(,"source":"pleiad"})");
}

TEST(ModelJson, DamagedModelsAreListedWithTheirProblem) {
  store::ModelEntry damaged;
  damaged.name = "x:latest";
  damaged.problem = "cut off";
  const Json json = tag_json(damaged);
  EXPECT_EQ(json["problem"], "cut off");
  EXPECT_EQ(json["capabilities"], Json::array());
  EXPECT_EQ(json["details"]["families"], Json::array());
}

TEST(ModelJson, AModelWithATowerSees) {
  store::ModelEntry sees = entry();
  sees.details->vision = store::VisionDetails{168'544'704, "BF16", 280};
  EXPECT_EQ(tag_json(sees)["capabilities"], Json({"completion", "tools", "thinking", "vision"}));
}

TEST(ModelJson, ShowTellsWhatTheModelBrings) {
  store::ModelEntry shown = entry();
  shown.recipe.system = "Be kind.";
  shown.recipe.parameters = {{"stop", "a\"b"}, {"top_k", 5}};
  shown.recipe.licenses = {"one", "two"};
  store::FileFacts facts;
  facts.metadata = {{"general.architecture", "gemma4"}, {"gemma4.block_count", 35}};
  facts.tensors = Json::array({{{"name", "t"}, {"type", "Q4_0"}, {"shape", {1, 2}}}});
  const Json json = show_json(shown, "FROM base", facts);
  EXPECT_EQ(json["license"], "one\ntwo");
  EXPECT_EQ(json["modelfile"], "FROM base");
  EXPECT_EQ(json["parameters"],
            "stop                           \"a\\\"b\"\ntop_k                          5");
  EXPECT_EQ(json["system"], "Be kind.");
  EXPECT_EQ(to_text(json["model_info"]),
            R"({"general.architecture":"gemma4","gemma4.block_count":35})");
  EXPECT_EQ(to_text(json["tensors"]), R"([{"name":"t","type":"Q4_0","shape":[1,2]}])");
  EXPECT_EQ(json["capabilities"], Json({"completion", "tools", "thinking"}));
  EXPECT_THAT(json["template"].get<std::string>(), HasSubstr(".Tools"));
  EXPECT_FALSE(json.contains("warnings"));
  shown.warnings = {"num_gpu has no effect"};
  facts.left_out = {"x is left out"};
  EXPECT_EQ(show_json(shown, "", facts)["warnings"],
            Json({"x is left out", "num_gpu has no effect"}));
  const Json bare = show_json(store::ModelEntry(), "", {});
  EXPECT_EQ(bare["model_info"], Json::object()) << "clients look into it";
  EXPECT_FALSE(bare.contains("tensors"));
}

TEST(ModelJson, LoadedModelsComeByTheirTimeLeft) {
  const WallTime now = std::chrono::system_clock::from_time_t(0);
  serving::LoadedInfo soon, forever, loading;
  soon.entry = entry();
  soon.memory_bytes = 1000;
  soon.expires_in_seconds = 90;
  soon.context_length = 4096;
  forever.entry.name = "forever";
  forever.expires_in_seconds = std::numeric_limits<double>::infinity();
  loading.entry.name = "loading";
  loading.state = serving::LoadedInfo::State::loading;
  loading.expires_in_seconds = -1;
  loading.loaded_bytes = 5;
  loading.total_bytes = 10;
  const Json models = loaded_json({soon, loading, forever}, now)["models"];
  EXPECT_EQ(models[0]["name"], "forever");
  EXPECT_EQ(models[0]["expires_at"], "2169-11-13T00:00:00Z");
  EXPECT_EQ(to_text(models[1]),
            R"({"name":"gemma4:e2b","model":"gemma4:e2b","size":1000,"digest":"abc",)" +
                std::string(kDetails) +
                R"(,"expires_at":"1970-01-01T00:01:30Z","size_vram":0,"context_length":4096,)"
                R"("state":"ready"})");
  EXPECT_EQ(models[2]["state"], "loading");
  EXPECT_EQ(models[2]["loaded_bytes"], 5);
  EXPECT_EQ(models[2]["total_bytes"], 10);
  EXPECT_EQ(models[2]["expires_at"], "1970-01-01T00:00:00Z");
}

TEST(ModelJson, ShowTellsOfTheTower) {
  store::FileFacts facts;
  facts.projector = {{"clip.vision.block_count", 16}};
  EXPECT_EQ(show_json(entry(), "", facts)["projector_info"], facts.projector);
  EXPECT_FALSE(show_json(entry(), "", {}).contains("projector_info"));
}

TEST(ModelJson, ShowTellsHowLargeItsPicturesAreShown) {
  store::ModelEntry sees = entry();
  EXPECT_FALSE(show_json(sees, "", {}).contains("vision"));
  sees.details->vision = store::VisionDetails{168'544'704, "BF16", 560};
  EXPECT_EQ(to_text(show_json(sees, "", {})["vision"]), R"({"max_soft_tokens":560})");
}

}  // namespace
}  // namespace pleiad::api::ollama
