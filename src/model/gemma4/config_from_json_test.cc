#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/json.h"
#include "base/testing/json.h"
#include "model/gemma4/config_load.h"

namespace pleiad::gemma4 {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// The text_config of E2B as released.
Json e2b_text() {
  Json layer_types = Json::array();
  for (int layer = 0; layer < 35; ++layer) {
    layer_types.push_back(layer % 5 == 4 ? "full_attention" : "sliding_attention");
  }
  Json text = json_from(R"({
    "model_type": "gemma4_text", "vocab_size": 262144, "hidden_size": 1536,
    "intermediate_size": 6144, "num_hidden_layers": 35, "num_attention_heads": 8,
    "num_key_value_heads": 1, "num_global_key_value_heads": null, "head_dim": 256,
    "global_head_dim": 512, "attention_k_eq_v": false, "num_kv_shared_layers": 20,
    "use_double_wide_mlp": true, "hidden_size_per_layer_input": 256,
    "vocab_size_per_layer_input": 262144, "sliding_window": 512,
    "max_position_embeddings": 131072, "rms_norm_eps": 1e-6, "final_logit_softcapping": 30.0,
    "enable_moe_block": false, "num_experts": null, "hidden_activation": "gelu_pytorch_tanh",
    "rope_parameters": {
      "full_attention": {"rope_type": "proportional", "rope_theta": 1000000.0,
                         "partial_rotary_factor": 0.25},
      "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0}}})");
  text["layer_types"] = layer_types;
  return text;
}

Json released(const Json& text) {
  return {{"architectures", {"Gemma4ForConditionalGeneration"}},
          {"model_type", "gemma4"},
          {"text_config", text}};
}

Config parse(const Json& json) { return config_from_json(to_text(json), "config.json"); }

std::string config_error(const std::string& json) {
  try {
    (void)config_from_json(json, "config.json");
  } catch (const LoadError& error) {
    return error.what();
  }
  return "no error";
}
std::string config_error(const Json& json) { return config_error(to_text(json)); }

TEST(ConfigFromJson, ReadsE2bAsReleased) {
  const Config config = parse(released(e2b_text()));
  EXPECT_EQ(config.name, "Gemma 4 E2B");
  EXPECT_EQ(config.vocab_size, 262144);
  EXPECT_EQ(config.model_dim, 1536);
  EXPECT_EQ(config.n_layers(), 35);
  EXPECT_EQ(config.n_heads, 8);
  EXPECT_EQ(config.sliding_window, 512);
  EXPECT_EQ(config.context_length, 131072);
  EXPECT_EQ(config.final_logit_softcap, 30.0F);
  EXPECT_EQ(config.per_layer_dim, 256);
  EXPECT_EQ(config.sliding_rope.theta, 10000.0);
  EXPECT_EQ(config.sliding_rope.n_rotated_pairs, 128);
  EXPECT_EQ(config.full_rope.theta, 1000000.0);
  EXPECT_EQ(config.full_rope.n_rotated_pairs, 64);
  EXPECT_TRUE(config.tied_head);
  EXPECT_FALSE(config.experts);

  EXPECT_EQ(config.layers[0].attention, AttentionKind::sliding);
  EXPECT_EQ(config.layers[0].head_dim, 256);
  EXPECT_EQ(config.layers[4].attention, AttentionKind::full);
  EXPECT_EQ(config.layers[4].head_dim, 512);
  EXPECT_EQ(config.layers[14].ffn_dim, 6144);
  EXPECT_EQ(config.layers[15].ffn_dim, 12288);
  for (int layer = 0; layer < 35; ++layer) {
    const int donor = layer < 15 ? layer : layer % 5 == 4 ? 14 : 13;
    EXPECT_EQ(config.layers[static_cast<std::size_t>(layer)].kv_layer, donor) << layer;
    EXPECT_FALSE(config.layers[static_cast<std::size_t>(layer)].value_is_key);
  }
}

TEST(ConfigFromJson, ReadsAFlatFileOfTheTextModel) {
  Json text = e2b_text();
  text["architectures"] = {"Gemma4ForCausalLM"};
  EXPECT_EQ(parse(text).name, "Gemma 4 E2B");
  text.erase("architectures");
  EXPECT_EQ(parse(text).name, "Gemma 4 E2B") << "model_type alone will do";
}

TEST(ConfigFromJson, ReadsPerLayerOverridesOfNewerFiles) {
  Json text = e2b_text();
  text.erase("global_head_dim");
  text.erase("num_global_key_value_heads");
  text["attention_k_eq_v"] = true;
  for (int layer = 4; layer < 35; layer += 5) {
    text["per_layer_config"][std::to_string(layer)] = {{"head_dim", 512},
                                                       {"num_key_value_heads", 2}};
  }
  const Config config = parse(released(text));
  EXPECT_EQ(config.layers[0].head_dim, 256);
  EXPECT_EQ(config.layers[0].n_kv_heads, 1);
  EXPECT_FALSE(config.layers[0].value_is_key);
  EXPECT_EQ(config.layers[4].head_dim, 512);
  EXPECT_EQ(config.layers[4].n_kv_heads, 2);
  EXPECT_TRUE(config.layers[4].value_is_key);
}

TEST(ConfigFromJson, UsesGlobalKeyValueHeadsOnlyWhereValuesAreKeys) {
  Json text = e2b_text();
  text["num_global_key_value_heads"] = 4;
  EXPECT_EQ(parse(released(text)).layers[4].n_kv_heads, 1);
  text["attention_k_eq_v"] = true;
  EXPECT_EQ(parse(released(text)).layers[4].n_kv_heads, 4);
}

TEST(ConfigFromJson, ReadsExperts) {
  Json text = e2b_text();
  text.update({{"enable_moe_block", true},
               {"num_experts", 128},
               {"top_k_experts", 8},
               {"moe_intermediate_size", 704}});
  const Config config = parse(released(text));
  ASSERT_TRUE(config.experts);
  EXPECT_EQ(config.experts->n_experts, 128);
  EXPECT_EQ(config.experts->n_experts_used, 8);
  EXPECT_EQ(config.experts->ffn_dim, 704);
  text["top_k_experts"] = 200;
  EXPECT_THAT(config_error(released(text)), HasSubstr("200 of 128 experts are used"));
}

TEST(ConfigFromJson, AbsentFieldsTakeTheDefaultsOfTheReference) {
  Json text = e2b_text();
  for (const char* field : {"layer_types", "rope_parameters", "global_head_dim", "rms_norm_eps",
                            "final_logit_softcapping", "hidden_size_per_layer_input"}) {
    text.erase(field);
  }
  const Config config = parse(released(text));
  EXPECT_EQ(config.layers[5].attention, AttentionKind::full);
  EXPECT_EQ(config.layers[4].attention, AttentionKind::sliding);
  EXPECT_EQ(config.layers[34].attention, AttentionKind::full) << "the last one always";
  EXPECT_EQ(config.layers[34].head_dim, 512);
  EXPECT_EQ(config.full_rope.n_rotated_pairs, 64);
  EXPECT_EQ(config.final_logit_softcap, 0.0F);
  EXPECT_EQ(config.per_layer_dim, 256);
  text["hidden_size_per_layer_input"] = nullptr;
  EXPECT_EQ(parse(released(text)).per_layer_dim, 0);
}

TEST(ConfigFromJson, SaysWhatOtherArchitecturesAre) {
  const auto with = [](const std::string& architecture) {
    return config_error(Json{{"architectures", {architecture}}});
  };
  EXPECT_EQ(with("LlamaForCausalLM"),
            "config.json: found architecture 'LlamaForCausalLM'; Pleiad runs Gemma 4 models: "
            "gemma4 (GGUF), Gemma4ForConditionalGeneration, Gemma4ForCausalLM, "
            "Gemma4UnifiedForConditionalGeneration, Gemma4UnifiedForCausalLM");
  EXPECT_THAT(with("Gemma4AssistantForCausalLM"), HasSubstr("drafter"));
  EXPECT_THAT(config_error(Json{{"model_type", "qwen3"}}), HasSubstr("found architecture 'qwen3'"));
  EXPECT_THAT(config_error(std::string("{}")),
              HasSubstr("neither 'architectures' nor 'model_type'"));
}

/// The text_config of the 12B, which names neither per-layer embeddings nor experts.
Json unified_text() {
  Json text = e2b_text();
  for (const char* absent :
       {"hidden_size_per_layer_input", "vocab_size_per_layer_input", "enable_moe_block",
        "num_experts", "layer_types", "sliding_window", "max_position_embeddings"}) {
    text.erase(absent);
  }
  text["model_type"] = "gemma4_unified_text";
  text["hidden_size"] = 3840;
  text["intermediate_size"] = 15'360;
  text["num_hidden_layers"] = 48;
  text["num_attention_heads"] = 16;
  text["num_key_value_heads"] = 8;
  text["num_global_key_value_heads"] = 1;
  text["attention_k_eq_v"] = true;
  text["num_kv_shared_layers"] = 0;
  text["use_double_wide_mlp"] = false;
  return text;
}

Json unified(const Json& text) {
  return {{"architectures", {"Gemma4UnifiedForConditionalGeneration"}},
          {"model_type", "gemma4_unified"},
          {"text_config", text}};
}

TEST(ConfigFromJson, ReadsTheUnified12b) {
  const Config config = parse(unified(unified_text()));
  EXPECT_EQ(config.name, "Gemma 4 12B");
  EXPECT_EQ(config.sliding_window, 1024);
  EXPECT_EQ(config.context_length, 262144);
  EXPECT_EQ(config.per_layer_dim, 0);
  EXPECT_TRUE(config.bidirectional_blocks);
  ASSERT_EQ(config.n_layers(), 48);
  EXPECT_EQ(config.layers[46].attention, AttentionKind::sliding);
  EXPECT_EQ(config.layers[46].n_kv_heads, 8);
  EXPECT_FALSE(config.layers[46].value_is_key);
  EXPECT_EQ(config.layers[47].attention, AttentionKind::full);
  EXPECT_EQ(config.layers[47].head_dim, 512);
  EXPECT_EQ(config.layers[47].n_kv_heads, 1);
  EXPECT_TRUE(config.layers[47].value_is_key);

  Json flat = unified_text();
  flat["architectures"] = Json::array({"Gemma4UnifiedForCausalLM"});
  flat["use_bidirectional_attention"] = nullptr;
  EXPECT_FALSE(parse(flat).bidirectional_blocks);
}

TEST(ConfigFromJson, RefusesPartsThatTheUnifiedClassDoesNotHave) {
  Json text = unified_text();
  text["hidden_size_per_layer_input"] = 256;
  text["vocab_size_per_layer_input"] = 262'144;
  EXPECT_THAT(config_error(unified(text)),
              HasSubstr("'text_config.hidden_size_per_layer_input': expected 0 in gemma4_unified, "
                        "found 256"));
  text = unified_text();
  text["enable_moe_block"] = true;
  text["num_experts"] = 8;
  text["top_k_experts"] = 2;
  text["moe_intermediate_size"] = 64;
  EXPECT_THAT(config_error(unified(text)), HasSubstr("'text_config.enable_moe_block'"));
  Json mixed = unified(unified_text());
  mixed["model_type"] = "gemma4";
  EXPECT_THAT(config_error(mixed), HasSubstr("found architecture 'gemma4'"));
}

TEST(ConfigFromJson, ReportsEverythingThatIsWrongAtOnce) {
  Json text = e2b_text();
  text.erase("vocab_size");
  text["hidden_size"] = 0;
  text["num_attention_heads"] = "eight";
  text["head_dim"] = 256.5;
  text["rms_norm_eps"] = -1;
  text["num_kv_shared_layers"] = -1;
  text["layer_types"][3] = "linear_attention";
  text["rope_parameters"]["full_attention"]["rope_type"] = "yarn";
  text["hidden_activation"] = "silu";
  EXPECT_THAT(
      config_error(released(text)),
      AllOf(
          HasSubstr("'text_config.vocab_size' is missing"),
          HasSubstr("'text_config.hidden_size': expected a whole number from 1 to 65536, found 0"),
          HasSubstr("'text_config.num_attention_heads'"), HasSubstr("found \"eight\""),
          HasSubstr("'text_config.head_dim'"), HasSubstr("found 256.5"),
          HasSubstr("'text_config.rms_norm_eps'"), HasSubstr("'text_config.num_kv_shared_layers'"),
          HasSubstr("'layer_types[3]'"), HasSubstr("found 'yarn'"), HasSubstr("found 'silu'")));
}

TEST(ConfigFromJson, ChecksHowFieldsFitTogether) {
  Json text = e2b_text();
  text["num_key_value_heads"] = 3;
  EXPECT_THAT(config_error(released(text)),
              HasSubstr("8 attention heads cannot be shared by 3 key/value heads"));
  text = e2b_text();
  text["head_dim"] = 255;
  EXPECT_THAT(config_error(released(text)), HasSubstr("head dimension 255 is odd"));
  text = e2b_text();
  text["num_kv_shared_layers"] = 35;
  EXPECT_THAT(config_error(released(text)), HasSubstr("no sliding layer before layer 0 has any"));
  text["num_kv_shared_layers"] = 33;
  EXPECT_THAT(config_error(released(text)), HasSubstr("no full layer before layer 2 has any"));
  text["num_kv_shared_layers"] = 36;
  EXPECT_THAT(config_error(released(text)), HasSubstr("36 of 35 layers"));
  text = e2b_text();
  text["layer_types"].erase(0);
  EXPECT_THAT(config_error(released(text)), HasSubstr("expected an array of 35"));
  text = e2b_text();
  text["per_layer_config"]["4"] = {{"head_dim", 128}};
  text["per_layer_config"]["35"] = {{"head_dim", 128}};
  text["per_layer_config"]["x"] = 1;
  text["per_layer_config"]["5"] = {{"sliding_window", 3}};
  EXPECT_THAT(config_error(released(text)),
              AllOf(HasSubstr("'per_layer_config.35'"), HasSubstr("'per_layer_config.x'"),
                    HasSubstr("'per_layer_config.5.sliding_window'")));
}

TEST(ConfigFromJson, RefusesScalingOfRope) {
  Json text = e2b_text();
  text["rope_parameters"]["full_attention"]["factor"] = 8.0;
  EXPECT_THAT(config_error(released(text)),
              HasSubstr("'text_config.rope_parameters.full_attention.factor': expected 1"));
}

TEST(ConfigFromJson, RefusesWhatIsNoJson) {
  EXPECT_THAT(config_error(std::string("{\"a\":")), HasSubstr("config.json: not JSON"));
  EXPECT_THAT(config_error(std::string("3")), HasSubstr("expected a JSON object"));
  EXPECT_THAT(config_error("{\"model_type\":\"gemma4\",\"x\":" + std::string(100'000, '[')),
              HasSubstr("levels deep"));
}

}  // namespace
}  // namespace pleiad::gemma4
