#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <vector>

#include "base/error.h"
#include "formats/gguf/reader.h"
#include "formats/gguf/writer.h"
#include "model/gemma4/config_load.h"

namespace pleiad::gemma4 {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// Writes small variations of one file: two layers (sliding, full), heads of 8 and
/// 16, and reads their configuration.
class ConfigFromGguf : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = fs::temp_directory_path() /
            ("pleiad_config_" + std::string(info->name()) + std::to_string(::getpid()) + ".gguf");
    tensors_ = {{"token_embd.weight", {5, 4}},
                {"blk.0.attn_v.weight", {8, 4}},
                {"blk.1.attn_v.weight", {16, 4}}};
    set("general.architecture", [](auto& w, auto key) { w.set_string(key, "gemma4"); });
    set_u32("block_count", 2);
    set_u32("context_length", 64);
    set_u32("embedding_length", 4);
    set_u32("feed_forward_length", 12);
    set_u32("attention.head_count", 2);
    set_u32("attention.head_count_kv", 1);
    set_u32("attention.key_length", 16);
    set_u32("attention.key_length_swa", 8);
    set_u32("attention.sliding_window", 32);
    set("gemma4.attention.sliding_window_pattern", [](auto& w, auto key) {
      w.set_booleans(key, {true, false});
    });
  }
  void TearDown() override { fs::remove(path_); }

  using Setter = std::function<void(gguf::Writer&, const std::string&)>;
  void set(const std::string& key, Setter setter) { keys_[key] = std::move(setter); }
  void set_u32(const std::string& key, std::uint32_t value) {
    set("gemma4." + key, [value](auto& w, auto& full) { w.set_u32(full, value); });
  }
  void set_i32s(const std::string& key, std::vector<std::int32_t> values) {
    set("gemma4." + key, [values](auto& w, auto& full) { w.set_i32s(full, values); });
  }
  void unset(const std::string& key) { keys_.erase(key); }

  Config read() {
    {
      gguf::Writer writer(path_);
      for (const auto& [key, setter] : keys_) setter(writer, key);
      for (const auto& [name, shape] : tensors_) writer.add_tensor(name, DType::f32, shape);
      if (!rope_freqs_.empty()) {
        writer.add_tensor("rope_freqs.weight", DType::f32,
                          {static_cast<std::int64_t>(rope_freqs_.size())});
      }
      for (const auto& [name, shape] : tensors_) {
        const std::vector<float> values(static_cast<std::size_t>(element_count(shape)));
        writer.write(std::as_bytes(std::span(values)));
      }
      writer.write(std::as_bytes(std::span(rope_freqs_)));
      writer.finish();
    }
    return config_from_gguf(gguf::File::open(path_));
  }
  std::string error() {
    try {
      (void)read();
    } catch (const LoadError& error) {
      return error.what();
    }
    return "no error";
  }

  fs::path path_;
  std::map<std::string, Setter> keys_;
  std::map<std::string, Shape> tensors_;
  std::vector<float> rope_freqs_;
};

TEST_F(ConfigFromGguf, ReadsAMinimalFile) {
  const Config config = read();
  EXPECT_EQ(config.name, "Gemma 4 (2 layers, model dimension 4)");
  EXPECT_EQ(config.vocab_size, 5);
  EXPECT_EQ(config.n_layers(), 2);
  EXPECT_EQ(config.layers[0].attention, AttentionKind::sliding);
  EXPECT_EQ(config.layers[0].head_dim, 8);
  EXPECT_EQ(config.layers[1].head_dim, 16);
  EXPECT_EQ(config.layers[1].ffn_dim, 12);
  EXPECT_FALSE(config.layers[1].value_is_key);
  EXPECT_EQ(config.per_layer_dim, 0);
  EXPECT_EQ(config.sliding_rope.theta, 10'000.0);
  EXPECT_EQ(config.sliding_rope.n_rotated_pairs, 4);
  EXPECT_EQ(config.full_rope.theta, 1'000'000.0);
  EXPECT_EQ(config.full_rope.n_rotated_pairs, 2) << "a quarter, when the file does not say";
  EXPECT_TRUE(config.tied_head);
}

TEST_F(ConfigFromGguf, TakesOneNumberForAllLayersOrOneForEach) {
  set_i32s("feed_forward_length", {12, 24});
  set_i32s("attention.head_count_kv", {2, 1});
  set_i32s("attention.head_count", {2, 2});
  const Config config = read();
  EXPECT_EQ(config.layers[0].ffn_dim, 12);
  EXPECT_EQ(config.layers[1].ffn_dim, 24);
  EXPECT_EQ(config.layers[0].n_kv_heads, 2);
  EXPECT_EQ(config.layers[1].n_kv_heads, 1);

  set_i32s("feed_forward_length", {12, 24, 36});
  set_i32s("attention.head_count_kv", {2, 0});
  set_i32s("attention.head_count", {2, 1});
  EXPECT_THAT(
      error(),
      AllOf(HasSubstr("'gemma4.feed_forward_length': expected 2 values (one per layer), found 3"),
            HasSubstr("'gemma4.attention.head_count_kv': expected 1 to 1024, found 0"),
            HasSubstr("'gemma4.attention.head_count': layers differ")));
}

TEST_F(ConfigFromGguf, CountsRotatedPairsInTheFrequencyFactors) {
  rope_freqs_ = {1, 1, 1, 1e30F, 1e30F, 1e30F, 1e30F, 1e30F};
  EXPECT_EQ(read().full_rope.n_rotated_pairs, 3);
  rope_freqs_ = {1, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_EQ(read().full_rope.n_rotated_pairs, 8);
  rope_freqs_ = {1, 1, 2, 1e30F, 1e30F, 1e30F, 1e30F, 1e30F};
  EXPECT_THAT(error(), HasSubstr("'rope_freqs.weight': factor 2 is 2; expected ones, then"));
  rope_freqs_ = {1, 1e30F, 1, 1e30F, 1e30F, 1e30F, 1e30F, 1e30F};
  EXPECT_THAT(error(), HasSubstr("factor 2 is 1;")) << "a turning pair after a still one";
  rope_freqs_ = {1, NAN, 1e30F, 1e30F, 1e30F, 1e30F, 1e30F, 1e30F};
  EXPECT_THAT(error(), HasSubstr("factor 1 is nan"));
  rope_freqs_ = {1, 1e30F};
  EXPECT_THAT(error(), HasSubstr("expected 8 floats (half a head), found f32 [2]"));
}

TEST_F(ConfigFromGguf, ValuesAreKeysWhereNoFullLayerHasValues) {
  tensors_.erase("blk.1.attn_v.weight");
  const Config config = read();
  EXPECT_TRUE(config.layers[1].value_is_key);
  EXPECT_FALSE(config.layers[0].value_is_key);
}

TEST_F(ConfigFromGguf, AnOutputTensorIsAHeadOfItsOwn) {
  tensors_["output.weight"] = {5, 4};
  EXPECT_FALSE(read().tied_head);
}

TEST_F(ConfigFromGguf, ReadsExpertsAndPerLayerEmbeddings) {
  set_u32("expert_count", 6);
  set_u32("expert_used_count", 3);
  set_u32("expert_feed_forward_length", 7);
  set_u32("embedding_length_per_layer_input", 2);
  tensors_["per_layer_token_embd.weight"] = {9, 4};
  const Config config = read();
  EXPECT_EQ(config.experts->n_experts, 6);
  EXPECT_EQ(config.experts->n_experts_used, 3);
  EXPECT_EQ(config.experts->ffn_dim, 7);
  EXPECT_EQ(config.per_layer_dim, 2);
  EXPECT_EQ(config.per_layer_vocab_size, 9);
}

TEST_F(ConfigFromGguf, ReportsEverythingThatIsWrongAtOnce) {
  unset("gemma4.context_length");
  set_u32("embedding_length", 0);
  set("gemma4.attention.key_length", [](auto& w, auto& key) { w.set_string(key, "16"); });
  set_u32("attention.value_length_swa", 4);
  set("gemma4.attention.sliding_window_pattern",
      [](auto& w, auto& key) { w.set_booleans(key, {true}); });
  tensors_.erase("token_embd.weight");
  EXPECT_THAT(
      error(),
      AllOf(
          HasSubstr("metadata key 'gemma4.context_length' is missing"),
          HasSubstr("'gemma4.embedding_length': expected 1 to 65536, found 0"),
          HasSubstr("- metadata key 'gemma4.attention.key_length': expected integer, found string"),
          HasSubstr("'gemma4.attention.value_length_swa': expected 8 (the key length), found 4"),
          HasSubstr("'gemma4.attention.sliding_window_pattern': expected 2 values"),
          HasSubstr("tensor 'token_embd.weight' is missing")));
}

TEST_F(ConfigFromGguf, SaysWhatOtherArchitecturesAre) {
  const auto with = [&](const char* architecture) {
    set("general.architecture", [=](auto& w, auto& key) { w.set_string(key, architecture); });
    return error();
  };
  EXPECT_THAT(with("llama"),
              HasSubstr("found architecture 'llama'; Pleiad runs Gemma 4 models: gemma4 (GGUF), "
                        "Gemma4ForConditionalGeneration, Gemma4ForCausalLM"));
  EXPECT_THAT(with("clip"), HasSubstr("the image and audio encoder (mmproj)"));
  EXPECT_THAT(with("gemma4-assistant"), HasSubstr("drafter"));
  unset("general.architecture");
  EXPECT_THAT(error(), HasSubstr("'general.architecture' is missing"));
}

TEST_F(ConfigFromGguf, UsesTheNameInTheFile) {
  set("general.name", [](auto& w, auto& key) { w.set_string(key, "My Gemma\n"); });
  EXPECT_EQ(read().name, "My Gemma\\x0a");
}

}  // namespace
}  // namespace pleiad::gemma4
