#include "store/metadata_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "store/config_metadata.h"

namespace pleiad::store {
namespace {

using gguf::ValueType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Metadata with the bytes that it points into.
class MetadataBuilder {
 public:
  template <typename T>
  void add(std::string_view key, ValueType type, T value) {
    add_bytes(key, {type, ValueType::u8, 1, {}}, &value, sizeof value);
  }
  void add_text(std::string_view key, const std::string& text) {
    add_bytes(key, {ValueType::string, ValueType::u8, 1, {}}, text.data(), text.size());
  }
  template <typename T>
  void add_list(std::string_view key, ValueType type, const std::vector<T>& values) {
    add_bytes(key, {ValueType::array, type, values.size(), {}}, values.data(),
              values.size() * sizeof(T));
  }
  void add_texts(std::string_view key, const std::vector<std::string>& texts) {
    std::string bytes;
    for (const std::string& text : texts) {
      const std::uint64_t length = text.size();
      bytes.append(reinterpret_cast<const char*>(&length), sizeof length);
      bytes += text;
    }
    add_bytes(key, {ValueType::array, ValueType::string, texts.size(), {}}, bytes.data(),
              bytes.size());
  }
  void add_value(std::string_view key, gguf::Value value) { add_bytes(key, value, "", 0); }

  MetadataJson json(const MetadataLimits& limits = {}) const {
    return metadata_json(metadata_, limits);
  }

 private:
  void add_bytes(std::string_view key, gguf::Value value, const void* bytes, std::size_t size) {
    keys_.push_back(std::make_unique<std::string>(key));
    const auto* first = static_cast<const std::byte*>(bytes);
    payloads_.push_back(std::make_unique<std::vector<std::byte>>(first, first + size));
    value.payload = *payloads_.back();
    ASSERT_TRUE(metadata_.add(*keys_.back(), value));
  }

  std::vector<std::unique_ptr<std::string>> keys_;
  std::vector<std::unique_ptr<std::vector<std::byte>>> payloads_;
  gguf::Metadata metadata_{"test.gguf"};
};

TEST(MetadataJson, NumbersAreTheFilesNumbers) {
  MetadataBuilder file;
  file.add("a.u64", ValueType::u64, std::numeric_limits<std::uint64_t>::max());
  file.add("b.i64", ValueType::i64, std::numeric_limits<std::int64_t>::min());
  file.add("c.u8", ValueType::u8, std::uint8_t{255});
  file.add("d.i16", ValueType::i16, std::int16_t{-2});
  file.add("e.float", ValueType::f32, 1e-6F);
  file.add("f.double", ValueType::f64, 0.1);
  file.add("g.bool", ValueType::boolean, std::uint8_t{2});
  file.add("h.infinite", ValueType::f32, std::numeric_limits<float>::infinity());
  file.add("i.large", ValueType::f32, 1e6F);
  Json all = Json::object();
  for (const auto& [key, value] : file.json().pairs) all[key] = value;
  EXPECT_EQ(to_text(all),
            R"({"a.u64":18446744073709551615,"b.i64":-9223372036854775808,"c.u8":255,"d.i16":-2,)"
            R"("e.float":1e-06,"f.double":0.1,"g.bool":true,"h.infinite":null,)"
            R"("i.large":1000000.0})");
}

TEST(MetadataJson, ListsOfTheModelAreToldAndVocabulariesWhereTheyAreAskedFor) {
  MetadataBuilder file;
  file.add_list<std::int32_t>("gemma4.attention.head_count_kv", ValueType::i32, {8, 1, -1});
  file.add_list<std::uint8_t>("gemma4.attention.sliding_window_pattern", ValueType::boolean,
                              {1, 0});
  file.add_texts("general.tags", {"a", "b"});
  file.add_texts("tokenizer.ggml.tokens", {"<pad>", "\n", "\xff"});
  file.add_list<float>("tokenizer.ggml.scores", ValueType::f32, {-0.1F, 2});
  file.add_list<std::int8_t>("gemma4.long", ValueType::i8, std::vector<std::int8_t>(1025, 1));
  const MetadataJson usual = file.json();
  EXPECT_EQ(usual.pairs.at("gemma4.attention.head_count_kv"), Json({8, 1, -1}));
  EXPECT_EQ(usual.pairs.at("gemma4.attention.sliding_window_pattern"), Json({true, false}));
  EXPECT_EQ(usual.pairs.at("general.tags"), Json({"a", "b"}));
  for (const char* key : {"tokenizer.ggml.tokens", "tokenizer.ggml.scores", "gemma4.long"}) {
    EXPECT_TRUE(usual.pairs.at(key).is_null()) << key;
  }
  EXPECT_THAT(usual.left_out, IsEmpty());
  const MetadataJson all = file.json(MetadataLimits::all());
  EXPECT_EQ(all.pairs.at("tokenizer.ggml.tokens"), Json({"<pad>", "\n", "\xff"}));
  EXPECT_EQ(to_text(all.pairs.at("tokenizer.ggml.scores")), "[-0.1,2.0]");
  EXPECT_EQ(all.pairs.at("gemma4.long").size(), 1025U);
  EXPECT_THAT(all.left_out, IsEmpty());
}

TEST(MetadataJson, WhatOllamaLeavesOutIsNotThere) {
  MetadataBuilder file;
  file.add_text("general.name", "x");
  file.add_text("tokenizer.chat_template", "{{ x }}");
  file.add_text("general.basename", "Gemma\x1b[31m");
  const MetadataJson json = file.json(MetadataLimits::all());
  ASSERT_EQ(json.pairs.size(), 1U);
  EXPECT_EQ(json.pairs.at("general.basename"), "Gemma\\x1b[31m");
}

TEST(MetadataJson, WhatIsTooLongIsNullAndNamed) {
  MetadataBuilder file;
  file.add_text("a.text", std::string(5000, 'x'));
  file.add_value("b.nested", {ValueType::array, ValueType::array, 1, {}});
  file.add_texts("c.texts", {std::string(200'000, 'x')});
  file.add_texts("d.texts", {std::string(200'000, 'x')});
  file.add_text(std::string(300, 'k'), "long key");
  const MetadataJson json = file.json();
  EXPECT_TRUE(json.pairs.at("a.text").is_null());
  EXPECT_TRUE(json.pairs.at("b.nested").is_null());
  EXPECT_FALSE(json.pairs.at("c.texts").is_null());
  EXPECT_TRUE(json.pairs.at("d.texts").is_null());
  EXPECT_EQ(json.pairs.size(), 4U);
  EXPECT_THAT(json.left_out, ElementsAre(HasSubstr("a.text is left out: a text of 5000 bytes"),
                                         HasSubstr("b.nested is left out: a list of lists"),
                                         HasSubstr("d.texts is left out: 200 KB in the file"),
                                         HasSubstr("keys of more than 256 bytes")));
}

TEST(MetadataJson, AFileOfManyKeysAndValuesCostsNoMoreThanTheLimits) {
  MetadataBuilder file;
  for (int i = 0; i < 1'500; ++i) {
    file.add_list<std::int8_t>(fmt::format("k{:04}", i), ValueType::i8,
                               std::vector<std::int8_t>(1'000, 1));
  }
  const MetadataJson json = file.json();
  EXPECT_EQ(json.pairs.size(), 1'000U);
  std::size_t n_values = 0;
  for (const auto& [key, value] : json.pairs) n_values += value.size();
  EXPECT_EQ(n_values, 16'000U);
  EXPECT_EQ(json.left_out.size(), 21U);
  EXPECT_EQ(json.left_out.back(), "and 1464 more keys");
}

TEST(ConfigMetadata, HasAListWhereLayersDifferAndElseANumber) {
  gemma4::Config config;
  config.vocab_size = 272;
  config.model_dim = 32;
  config.n_heads = 4;
  config.sliding_window = 24;
  config.context_length = 131'072;
  config.final_logit_softcap = 30;
  config.sliding_rope = {10'000.0, 8};
  config.full_rope = {1'000'000.0, 4};
  config.layers = {{gemma4::AttentionKind::sliding, 16, 2, 64, 0, false},
                   {gemma4::AttentionKind::full, 32, 1, 64, 1, false},
                   {gemma4::AttentionKind::full, 32, 1, 64, 1, false}};
  config.experts = gemma4::ExpertsConfig{8, 2, 48};
  Json all = Json::object();
  for (const auto& [key, value] : config_metadata(config)) all[key] = value;
  // By hand from what these keys of GGUF's mean.
  EXPECT_EQ(to_text(all),
            R"({"gemma4.attention.head_count":4,"gemma4.attention.head_count_kv":[2,1,1],)"
            R"("gemma4.attention.key_length":32,"gemma4.attention.key_length_swa":16,)"
            R"("gemma4.attention.layer_norm_rms_epsilon":1e-06,)"
            R"("gemma4.attention.shared_kv_layers":1,"gemma4.attention.sliding_window":24,)"
            R"("gemma4.attention.sliding_window_pattern":[true,false,false],)"
            R"("gemma4.attention.value_length":32,"gemma4.attention.value_length_swa":16,)"
            R"("gemma4.block_count":3,"gemma4.context_length":131072,)"
            R"("gemma4.embedding_length":32,"gemma4.embedding_length_per_layer_input":0,)"
            R"("gemma4.expert_count":8,"gemma4.expert_feed_forward_length":48,)"
            R"("gemma4.expert_used_count":2,"gemma4.feed_forward_length":64,)"
            R"("gemma4.final_logit_softcapping":30.0,"gemma4.rope.dimension_count":32,)"
            R"("gemma4.rope.dimension_count_swa":16,"gemma4.rope.freq_base":1000000.0,)"
            R"("gemma4.rope.freq_base_swa":10000.0,"gemma4.vocab_size":272,)"
            R"("general.architecture":"gemma4"})");
}

}  // namespace
}  // namespace pleiad::store
