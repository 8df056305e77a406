#include "convert/mix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"

namespace pleiad::convert {
namespace {

using gemma4::AttentionKind;
using gemma4::Config;
using gemma4::LayerConfig;
using testing::HasSubstr;

/// Shapes like E4B's: every sixth layer full, the last third without own keys.
Config e_model(int n_layers = 12, int model_dim = 512) {
  Config config;
  config.vocab_size = 1000;
  config.model_dim = model_dim;
  config.n_heads = 2;
  config.per_layer_dim = 256;
  config.per_layer_vocab_size = 1000;
  for (int i = 0; i < n_layers; ++i) {
    LayerConfig layer;
    layer.attention = i % 6 == 5 ? AttentionKind::full : AttentionKind::sliding;
    layer.head_dim = 256;
    layer.n_kv_heads = 1;
    layer.ffn_dim = 1024;
    const int first_shared = n_layers * 2 / 3;
    layer.kv_layer = i < first_shared ? i : first_shared - 1;
    config.layers.push_back(layer);
  }
  return config;
}

/// Shapes like 26B-A4B's: experts, and keys that are values in full layers.
Config expert_model() {
  Config config = e_model();
  config.per_layer_dim = 0;
  config.experts = gemma4::ExpertsConfig{4, 2, 704};
  for (int i = 0; i < config.n_layers(); ++i) {
    LayerConfig& layer = config.layers[static_cast<std::size_t>(i)];
    layer.kv_layer = i;
    layer.value_is_key = layer.attention == AttentionKind::full;
  }
  return config;
}

std::vector<PlannedTensor> plan_of(const Mix& mix, const Config& config,
                                   std::span<const DType> source = {}) {
  return plan(mix, config, gemma4::tensor_table(config), source);
}

const PlannedTensor& find(const std::vector<PlannedTensor>& planned, std::string_view name) {
  const auto found = std::ranges::find_if(
      planned, [&](const PlannedTensor& tensor) { return tensor.spec.name == name; });
  if (found == planned.end()) throw Error("no tensor {}", name);
  return *found;
}

DType type_of(const std::vector<PlannedTensor>& planned, std::string_view name) {
  return find(planned, name).type;
}

std::string refusal_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Mix, EveryTensorOfTheFamilyHasAClass) {
  for (const Config& config : {e_model(), expert_model()}) {
    for (const gemma4::TensorSpec& spec : gemma4::tensor_table(config)) {
      const TensorClass found = class_of(config, spec.name);
      // Norms and scales are what has one dimension, and nothing else.
      EXPECT_EQ(found == TensorClass::norm, spec.shape.size() == 1) << spec.name;
    }
  }
}

TEST(Mix, StoresTablesBetterThanLayersAndKeepsProjectionsOfPerLayerInputsIn16Bits) {
  const auto planned = plan_of({FileType::q4_0, {}}, e_model());
  EXPECT_EQ(type_of(planned, "layers.3.attention.q_proj"), DType::q4_0);
  EXPECT_EQ(type_of(planned, "layers.3.ffn.down_proj"), DType::q4_0);
  EXPECT_EQ(type_of(planned, "embedding"), DType::q6_k);
  EXPECT_EQ(type_of(planned, "per_layer.projection"), DType::bf16);
  EXPECT_EQ(type_of(planned, "layers.3.per_layer_gate"), DType::bf16);
  EXPECT_EQ(type_of(planned, "layers.3.per_layer_proj"), DType::bf16);
  EXPECT_EQ(type_of(planned, "layers.3.ffn_norm"), DType::f32);
  EXPECT_EQ(type_of(planned, "layers.3.output_scale"), DType::f32);
}

TEST(Mix, MediumMixSpendsMoreOnValuesAndDownProjectionsOfSomeLayers) {
  const auto planned = plan_of({FileType::q4_k_m, {}}, e_model(16));
  // Of 16 layers: 0 and 1, 14 and 15, and every third from 4 on.
  for (const int layer : {0, 1, 4, 7, 10, 13, 14, 15}) {
    EXPECT_EQ(type_of(planned, fmt::format("layers.{}.ffn.down_proj", layer)), DType::q6_k);
  }
  for (const int layer : {2, 3, 5, 6, 8, 9, 11, 12}) {
    EXPECT_EQ(type_of(planned, fmt::format("layers.{}.ffn.down_proj", layer)), DType::q4_k);
  }
  // Ten layers have values: the first, the last two, and every third from 3 on.
  EXPECT_EQ(type_of(planned, "layers.0.attention.v_proj"), DType::q6_k);
  EXPECT_EQ(type_of(planned, "layers.1.attention.v_proj"), DType::q4_k);
  EXPECT_EQ(type_of(planned, "layers.3.attention.v_proj"), DType::q6_k);
  EXPECT_EQ(type_of(planned, "layers.9.attention.v_proj"), DType::q6_k);
  EXPECT_EQ(type_of(planned, "layers.0.attention.k_proj"), DType::q4_k);
}

TEST(Mix, SmallMixSpendsLess) {
  const auto planned = plan_of({FileType::q4_k_s, {}}, e_model(16));
  EXPECT_EQ(type_of(planned, "layers.1.ffn.down_proj"), DType::q5_k);
  EXPECT_EQ(type_of(planned, "layers.2.ffn.down_proj"), DType::q4_k);
  EXPECT_EQ(type_of(planned, "layers.3.attention.v_proj"), DType::q5_k);
  EXPECT_EQ(type_of(planned, "layers.4.attention.v_proj"), DType::q4_k);
}

TEST(Mix, KeysThatAreValuesTooGetTheBitsOfValues) {
  const auto planned = plan_of({FileType::q4_k_m, {}}, expert_model());
  EXPECT_EQ(type_of(planned, "layers.11.attention.k_proj"), DType::q6_k);
  EXPECT_EQ(type_of(planned, "layers.10.attention.k_proj"), DType::q4_k);
  EXPECT_EQ(type_of(planned, "layers.10.attention.v_proj"), DType::q6_k);
}

TEST(Mix, FallsBackVisiblyWhereColumnsAreNoMultipleOfTheBlock) {
  const auto planned = plan_of({FileType::q4_k_s, {}}, expert_model());
  const PlannedTensor& down = find(planned, "layers.9.experts.down_proj");  // 704 columns
  EXPECT_EQ(down.type, DType::q5_0);
  EXPECT_EQ(down.wanted, DType::q4_k);
  EXPECT_EQ(find(planned, "layers.0.experts.down_proj").type, DType::q5_1);
  EXPECT_FALSE(find(planned, "layers.9.experts.gate_up_proj").wanted.has_value());

  const auto narrow = plan_of({FileType::q6_k, {}}, e_model(12, 96));
  EXPECT_EQ(type_of(narrow, "layers.0.attention.q_proj"), DType::q8_0);
  const auto odd = plan_of({FileType::q4_0, {}}, e_model(12, 40));
  EXPECT_EQ(type_of(odd, "layers.0.attention.q_proj"), DType::bf16);
  const auto thirds = plan_of({FileType::nvfp4, {}}, e_model(12, 96));
  EXPECT_EQ(type_of(thirds, "layers.0.attention.q_proj"), DType::q4_0);
}

TEST(Mix, KeepChangesAClassAndNothingElse) {
  Mix mix{FileType::q4_k_s, {}};
  add_keep(mix, "ple=q8_0");
  add_keep(mix, "ple_proj=q8_0");
  add_keep(mix, "head=q5_0");
  const auto planned = plan_of(mix, e_model());
  EXPECT_EQ(type_of(planned, "per_layer.embedding"), DType::q8_0);
  EXPECT_EQ(type_of(planned, "layers.0.per_layer_gate"), DType::q8_0);
  EXPECT_EQ(type_of(planned, "embedding"), DType::q5_0);
  EXPECT_EQ(type_of(planned, "layers.9.ffn.up_proj"), DType::q4_k);
}

TEST(Mix, KeepSaysWhatIsWrong) {
  Mix gguf{FileType::q4_0, {}};
  const auto keep = [](Mix& mix, const char* text) {
    return refusal_of([&] { add_keep(mix, text); });
  };
  EXPECT_THAT(keep(gguf, "ple"), HasSubstr("CLASS=TYPE"));
  EXPECT_THAT(keep(gguf, "norm=q8_0"), HasSubstr("attention, ffn, experts"));
  EXPECT_THAT(keep(gguf, "ple=q3_k"), HasSubstr("found 'q3_k'"));
  EXPECT_THAT(keep(gguf, "ple=f8_e4m3"), HasSubstr("found 'f8_e4m3'"));
  EXPECT_THAT(keep(gguf, "head=nvfp4"), HasSubstr("only attention, ffn and experts"));
  Mix folder{FileType::nvfp4a16, {}};
  EXPECT_THAT(keep(folder, "ple=q8_0"), HasSubstr("unquantized anyway"));
  EXPECT_THAT(keep(folder, "ffn=q8_0"), HasSubstr("stays bf16"));
  EXPECT_EQ(keep(folder, "ple_proj=bf16"), "no error");
}

TEST(Mix, FolderQuantizesLinearModulesAndNothingElse) {
  const auto planned = plan_of({FileType::nvfp4a16, {}}, e_model());
  EXPECT_EQ(type_of(planned, "layers.0.attention.o_proj"), DType::nvfp4_packed);
  EXPECT_EQ(type_of(planned, "layers.0.per_layer_gate"), DType::nvfp4_packed);
  EXPECT_EQ(type_of(planned, "per_layer.projection"), DType::nvfp4_packed);
  EXPECT_EQ(type_of(planned, "embedding"), DType::bf16);
  EXPECT_EQ(type_of(planned, "per_layer.embedding"), DType::bf16);
  EXPECT_EQ(type_of(planned, "final_norm"), DType::bf16);
  const auto experts = plan_of({FileType::fp8, {}}, expert_model());
  EXPECT_EQ(type_of(experts, "layers.0.experts.down_proj"), DType::bf16);
  EXPECT_EQ(type_of(experts, "layers.0.router.proj"), DType::bf16);
}

TEST(Mix, AsItIsKeepsTypesAndMakesNormsF32) {
  const Config config = e_model();
  const auto table = gemma4::tensor_table(config);
  std::vector<DType> source(table.size(), DType::bf16);
  source[0] = DType::q6_k;
  const auto planned = plan({FileType::as_is, {}}, config, table, source);
  EXPECT_EQ(planned[0].type, DType::q6_k);
  EXPECT_EQ(type_of(planned, "layers.0.ffn.up_proj"), DType::bf16);
  EXPECT_EQ(type_of(planned, "layers.0.ffn_norm"), DType::f32);
}

TEST(Mix, CountsTheBytesOfScalesBesideTheData) {
  const auto nvfp4 = plan_of({FileType::nvfp4, {}}, expert_model());
  EXPECT_EQ(find(nvfp4, "layers.0.attention.q_proj").bytes(FileType::nvfp4),
            512U * 512 / 64 * 36 + 4);
  EXPECT_EQ(find(nvfp4, "layers.0.experts.gate_up_proj").bytes(FileType::nvfp4),
            4U * 1408 * 512 / 64 * 36 + 4 * 4);
  const auto packed = plan_of({FileType::nvfp4a16, {}}, e_model());
  EXPECT_EQ(find(packed, "layers.0.attention.q_proj").bytes(FileType::nvfp4a16),
            512U * 512 / 2 + 512 * 512 / 16 + 4);
  const auto fp8 = plan_of({FileType::fp8_dynamic, {}}, e_model());
  EXPECT_EQ(find(fp8, "layers.0.attention.q_proj").bytes(FileType::fp8_dynamic),
            512U * 512 + 512 * 4);
}

TEST(Mix, NamesOfFileTypesReadBack) {
  EXPECT_EQ(parse_file_type("q4_k_m"), FileType::q4_k_m);
  EXPECT_EQ(container_of(parse_file_type("fp8_dynamic")), Container::folder);
  const std::string message = refusal_of([] { parse_file_type("q4_k"); });
  EXPECT_THAT(message, HasSubstr("q4_k_m"));
  EXPECT_THAT(message, HasSubstr("found 'q4_k'"));
  EXPECT_THAT(refusal_of([] { parse_file_type("as it is"); }), HasSubstr("expected one of"));
}

}  // namespace
}  // namespace pleiad::convert
