#include "store/file_facts.h"

#include "store/test_stores.h"

namespace pleiad::store {
namespace {

using ::testing::IsEmpty;

using FileFactsTest = StoresTest;

TEST_F(FileFactsTest, AGgufFileTellsItsOwnMetadata) {
  const Catalog catalog(options_);
  const FileFacts facts = file_facts(catalog.find("demo").value(), false);
  // What the file has, read with another reader of GGUF.
  const Json wanted = parse_json(R"({
    "general.architecture": "gemma4", "general.file_type": 7, "general.quantization_version": 2,
    "general.sampling.temp": 0.3, "gemma4.block_count": 8, "gemma4.context_length": 4096,
    "gemma4.embedding_length": 256, "gemma4.attention.head_count": 4,
    "gemma4.feed_forward_length": [512, 512, 512, 512, 512, 1024, 1024, 1024],
    "gemma4.attention.head_count_kv": 1, "gemma4.attention.key_length": 64,
    "gemma4.attention.value_length": 64, "gemma4.attention.key_length_swa": 32,
    "gemma4.attention.layer_norm_rms_epsilon": 1e-06, "gemma4.attention.sliding_window": 128,
    "gemma4.rope.freq_base": 1000000.0, "gemma4.vocab_size": 2048,
    "tokenizer.ggml.model": "gemma4", "tokenizer.ggml.bos_token_id": 2,
    "tokenizer.ggml.eos_token_id": 1, "tokenizer.ggml.add_bos_token": true,
    "tokenizer.ggml.tokens": null, "tokenizer.ggml.merges": null})",
                                 "wanted");
  for (const auto& [key, value] : wanted.items()) {
    ASSERT_TRUE(facts.metadata.contains(key)) << key;
    EXPECT_EQ(facts.metadata[key], value) << key;
  }
  EXPECT_EQ(facts.metadata["general.parameter_count"],
            catalog.find("demo").value().details->parameter_count);
  EXPECT_FALSE(facts.metadata.contains("general.name"));
  EXPECT_EQ(facts.tensors.size(), 133U);
  Json embedding;
  for (const Json& tensor : facts.tensors) {
    if (tensor["name"] == "token_embd.weight") embedding = tensor;
  }
  // GGUF's order: the innermost dimension first.
  EXPECT_EQ(
      embedding,
      Json({{"name", "token_embd.weight"}, {"type", "Q8_0"}, {"shape", Json::array({256, 2048})}}));
  EXPECT_THAT(facts.left_out, IsEmpty());
}

TEST_F(FileFactsTest, VerboseAddsTheVocabulary) {
  const Catalog catalog(options_);
  const Json all = file_facts(catalog.find("demo").value(), true).metadata;
  EXPECT_EQ(all["tokenizer.ggml.tokens"].size(), 2048U);
  EXPECT_EQ(all["tokenizer.ggml.tokens"][1], "<eos>");
  EXPECT_EQ(all["tokenizer.ggml.scores"][0], -1000.0);
  EXPECT_EQ(all["tokenizer.ggml.merges"].size(), 1434U);
}

TEST_F(FileFactsTest, AFolderTellsTheSameKeysFromItsConfiguration) {
  make_checkpoint(root_ / "folder/my-e4b");
  const ModelEntry entry = Catalog(options_).find("my-e4b").value();
  const FileFacts facts = file_facts(entry, false);
  // tests/golden/models/e4b-fp8/config.json
  const Json wanted = parse_json(R"({
    "general.architecture": "gemma4", "gemma4.block_count": 6, "gemma4.context_length": 131072,
    "gemma4.embedding_length": 32, "gemma4.attention.head_count": 4,
    "gemma4.attention.head_count_kv": 2, "gemma4.attention.key_length": 32,
    "gemma4.attention.key_length_swa": 16, "gemma4.feed_forward_length": 64,
    "gemma4.attention.sliding_window": 24, "gemma4.attention.shared_kv_layers": 2,
    "gemma4.vocab_size": 272, "gemma4.attention.layer_norm_rms_epsilon": 1e-06,
    "gemma4.rope.freq_base_swa": 10000.0, "gemma4.final_logit_softcapping": 30.0})",
                                 "wanted");
  for (const auto& [key, value] : wanted.items()) EXPECT_EQ(facts.metadata[key], value) << key;
  EXPECT_EQ(facts.metadata["general.parameter_count"], entry.details->parameter_count);
  EXPECT_THAT(facts.tensors, IsEmpty());
  const Json tensors = file_facts(entry, true).tensors;
  ASSERT_FALSE(tensors.empty());
  Json embedding;
  for (const Json& tensor : tensors) {
    if (tensor["name"].get<std::string>().ends_with("embed_tokens.weight")) embedding = tensor;
  }
  EXPECT_EQ(embedding["type"], "BF16");
  EXPECT_EQ(embedding["shape"], Json::array({272, 32}));
}

TEST_F(FileFactsTest, ADamagedModelTellsNothing) {
  write(root_ / "folder/cut.gguf", "GGUF");
  const FileFacts facts = file_facts(Catalog(options_).find("cut").value(), true);
  EXPECT_EQ(facts.metadata, Json::object());
  EXPECT_EQ(facts.tensors, Json::array());
}

}  // namespace
}  // namespace pleiad::store
