#include "model/gemma4/vision/config.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "base/error.h"
#include "base/json.h"
#include "base/testing/json.h"
#include "formats/gguf/reader.h"
#include "model/gemma4/config_load.h"
#include "model/gemma4/vision/config_load.h"
#include "model/testing/golden_media.h"

namespace pleiad::gemma4 {
namespace {

using ::testing::HasSubstr;
using testing_support::golden_media;

Config text_model(int model_dim = 1536, int vocab_size = 262'144) {
  Config config;
  config.model_dim = model_dim;
  config.vocab_size = vocab_size;
  return config;
}

Json vision_json() {
  return json_from(std::string_view(R"({
    "hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 16,
    "num_attention_heads": 12, "num_key_value_heads": 12, "head_dim": 64, "patch_size": 16,
    "pooling_kernel_size": 3, "position_embedding_size": 10240, "rms_norm_eps": 1e-06,
    "rope_parameters": {"rope_theta": 100.0, "rope_type": "default"},
    "hidden_activation": "gelu_pytorch_tanh", "attention_bias": false, "standardize": false,
    "use_clipped_linears": true, "default_output_length": 280})"));
}

MediaConfig read(const Json& vision, const Json& outer = Json::object()) {
  Json root = outer;
  root["vision_config"] = vision;
  return media_config_from_json(to_text(root), "config.json", text_model());
}

std::string vision_error_of(const Json& vision, const Json& outer = Json::object()) {
  try {
    (void)read(vision, outer);
  } catch (const LoadError& error) {
    return error.what();
  }
  return "no error";
}

TEST(VisionConfig, IsReadFromTheReleasedStyle) {
  const MediaConfig media = read(vision_json());
  ASSERT_TRUE(media.vision);
  VisionConfig expected;
  expected.hidden_dim = 768;
  expected.ffn_dim = 3072;
  expected.n_layers = 16;
  expected.n_heads = 12;
  expected.head_dim = 64;
  expected.position_table_size = 10'240;
  expected.model_dim = 1536;
  expected.clipped_linears = true;
  EXPECT_EQ(*media.vision, expected);
  EXPECT_EQ(media.tokens, (MediaTokens{255'999, 258'880, 258'882, 258'884}));
}

TEST(VisionConfig, TakesTheReferencesDefaultsForWhatIsAbsent) {
  Json sparse = vision_json();
  for (const char* field :
       {"hidden_size", "num_key_value_heads", "rope_parameters", "patch_size"}) {
    sparse.erase(field);
  }
  EXPECT_EQ(read(sparse).vision, read(vision_json()).vision);
}

TEST(VisionConfig, IsAbsentWithoutAnObject) {
  EXPECT_FALSE(read(nullptr).vision);
  EXPECT_FALSE(media_config_from_json("{}", "config.json", text_model()).vision);
}

TEST(VisionConfig, TokensAreThoseOfTheFile) {
  const Json outer = {
      {"boi_token_id", 7}, {"image_token_id", 3}, {"eoi_token_id", 5}, {"video_token_id", 9}};
  EXPECT_EQ(read(vision_json(), outer).tokens, (MediaTokens{7, 3, 5, 9}));
  EXPECT_THAT(vision_error_of(vision_json(), {{"image_token_id", 262'144}}),
              HasSubstr("'image_token_id': expected a whole number from 0 to 262143"));
}

TEST(VisionConfig, NamesEverythingThatIsWrong) {
  Json wrong = vision_json();
  wrong["hidden_activation"] = "relu";
  wrong["num_key_value_heads"] = 4;
  wrong["rope_parameters"]["rope_type"] = "yarn";
  wrong["patch_size"] = 0;
  const std::string error = vision_error_of(wrong);
  for (const char* part : {"4 problems", "hidden_activation", "expected 12 (num_attention_heads)",
                           "found 'yarn'", "'vision_config.patch_size'"}) {
    EXPECT_THAT(error, HasSubstr(part));
  }
  Json odd = vision_json();
  odd["head_dim"] = 66;
  EXPECT_THAT(vision_error_of(odd), HasSubstr("66 dimensions"));
}

TEST(VisionConfig, TheDefaultBudgetIsTheProcessors) {
  EXPECT_EQ(default_budget_from_json(R"({"image_processor": {"max_soft_tokens": 560}})", "p"), 560);
  EXPECT_EQ(default_budget_from_json(R"({"max_soft_tokens": 70})", "p"), 70);
  EXPECT_EQ(default_budget_from_json(R"({"image_processor": {}})", "p"), std::nullopt);
  for (const char* wrong : {"-1", "100", "281.5", "\"280\"", "[]"}) {
    const std::string json = fmt::format(R"({{"max_soft_tokens": {}}})", wrong);
    EXPECT_THROW((void)default_budget_from_json(json, "p"), LoadError) << wrong;
  }
  EXPECT_EQ(read(vision_json()).vision->default_budget, 280);
  EXPECT_EQ(read(vision_json(), {{"vision_soft_tokens_per_image", 140}}).vision->default_budget,
            140);
  EXPECT_EQ(read(vision_json(), {{"vision_soft_tokens_per_image", 256}}).vision->default_budget,
            280);
}

TEST(VisionConfig, TheUnifiedModelHasAnEmbedder) {
  Json root = {{"model_type", "gemma4_unified"}, {"vision_config", Json::object()}};
  const auto read_root = [&] {
    Config text;
    text.model_dim = 3840;
    text.vocab_size = 262'144;
    return media_config_from_json(to_text(root), "config.json", text);
  };
  const VisionConfig released = *read_root().vision;
  EXPECT_TRUE(released.is_embedder());
  EXPECT_EQ(released.patch_size, 48);
  EXPECT_EQ(released.pooling, 1);
  EXPECT_EQ(released.patch_values(), 6912);
  EXPECT_EQ(released.hidden_dim, 3840);
  EXPECT_EQ(released.position_table_size, 1120);
  EXPECT_EQ(released.default_budget, 280);
  EXPECT_EQ(tower_problem(released), "");
  root["vision_config"]["output_proj_dims"] = 64;
  try {
    (void)read_root();
    FAIL();
  } catch (const LoadError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("'vision_config.output_proj_dims': expected 3840 (mm_embed_dim)"));
  }
}

class VisionConfigOfFiles : public ::testing::TestWithParam<std::string> {};

TEST_P(VisionConfigOfFiles, IsTheSameFromEitherFormatButForTheOrderOfAPatch) {
  const std::string family = GetParam();
  std::ifstream stream(golden_media(family) / "config.json");
  const std::string json(std::istreambuf_iterator<char>(stream), {});
  const Config text = config_from_json(json, "config.json");
  VisionConfig from_json = *media_config_from_json(json, "config.json", text).vision;
  const auto file = gguf::File::open(golden_media(family) / ("mmproj-" + family + ".gguf"));
  ProblemList problems("mmproj");
  const VisionConfig from_gguf = vision_config_from_gguf(file, text, problems);
  EXPECT_TRUE(problems.empty()) << problems.message();
  EXPECT_EQ(from_json.patch_order, PatchOrder::pixels);
  from_json.patch_order = PatchOrder::channels;
  EXPECT_EQ(from_json, from_gguf);
  EXPECT_EQ(text.bidirectional_blocks, family != "e2b");
  EXPECT_EQ(from_gguf.is_embedder(), family == "12b");
}

INSTANTIATE_TEST_SUITE_P(Golden, VisionConfigOfFiles, ::testing::Values("e2b", "12b", "26b-a4b"),
                         [](const auto& item) {
                           return item.param.substr(0, item.param.find('-'));
                         });

}  // namespace
}  // namespace pleiad::gemma4
