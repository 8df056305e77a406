#include "convert/write_gguf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "base/json.h"
#include "base/testing/paths.h"
#include "base/testing/test_folder.h"
#include "formats/gguf/reader.h"
#include "model/testing/same_model.h"
#include "tensor/decode.h"

namespace pleiad::convert {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::expect_same_config;
using testing_support::expect_same_values;
using testing_support::golden;
using testing_support::values_of;

class WriteGguf : public ::testing::Test {
 protected:
  /// A copy of a tiny model's folder, to be changed.
  fs::path copy_of(const std::string& name) const {
    const fs::path copy = folder_ / name;
    fs::copy(golden(name), copy);
    return copy;
  }

  void write_file(const fs::path& path, const std::string& text) const {
    std::ofstream(path, std::ios::binary) << text;
  }

  static WriteOptions options_of(FileType type) {
    WriteOptions options;
    options.mix.type = type;
    options.rounding = quantize::Rounding::nearest;
    options.n_threads = 2;
    return options;
  }

  WriteReport write(const fs::path& source, FileType type) const {
    return write_gguf(Checkpoint::open(source), target(), options_of(type));
  }

  std::string message_of(const fs::path& source, FileType type) const {
    try {
      write(source, type);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  fs::path target() const { return folder_ / "out.gguf"; }

  std::size_t n_files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  TestFolder folder_;
};

TEST_F(WriteGguf, KeepsEveryValueOfAFolder) {
  for (const char* name : {"e2b", "e4b", "12b", "26b-a4b", "31b"}) {
    SCOPED_TRACE(name);
    const WriteReport report = write(golden(name), FileType::as_is);
    const Checkpoint source = Checkpoint::open(golden(name));
    const Checkpoint written = Checkpoint::open(target());
    expect_same_config(source.config(), written.config());
    expect_same_values(source, written);
    EXPECT_EQ(source.generation().temperature, written.generation().temperature);
    EXPECT_EQ(source.generation().stop_tokens, written.generation().stop_tokens);
    EXPECT_EQ(report.bytes, fs::file_size(target()));
    EXPECT_TRUE(written.unused().unknown.empty());
    fs::remove(target());
  }
}

TEST_F(WriteGguf, LeavesOutDeadProjectionsAndSaysSo) {
  const Checkpoint source = Checkpoint::open(golden("e2b"));
  ASSERT_GT(source.unused().dead_kv, 0U);
  const WriteReport report = write(golden("e2b"), FileType::as_is);
  EXPECT_EQ(report.left_out.vision, 0U) << "it is in the projector file";
  EXPECT_EQ(report.left_out.audio, 0U) << "so is that";
  EXPECT_EQ(report.left_out.dead_kv, source.unused().dead_kv);
  const Checkpoint written = Checkpoint::open(target());
  const UnusedTensors& unused = written.unused();
  EXPECT_EQ(unused.vision + unused.audio + unused.dead_kv, 0U);
}

TEST_F(WriteGguf, CarriesTheKeysOfAGgufFileAndCorrectsItsOwn) {
  write(golden("e2b/e2b.gguf"), FileType::q8_0);
  const gguf::File source = gguf::File::open(golden("e2b/e2b.gguf"));
  const gguf::File written = gguf::File::open(target());
  EXPECT_EQ(written.metadata().find_integer("general.file_type"), 7);
  EXPECT_EQ(written.metadata().find_integer("general.quantization_version"), 2);
  for (const auto& [key, value] : source.metadata().values()) {
    if (!key.starts_with("gemma4.")) continue;
    const gguf::Value* carried = written.metadata().find(key);
    ASSERT_NE(carried, nullptr) << key;
    EXPECT_TRUE(std::ranges::equal(carried->payload, value.payload)) << key;
  }
  expect_same_config(Checkpoint::open(golden("e2b/e2b.gguf")).config(),
                     Checkpoint::open(target()).config());
}

TEST_F(WriteGguf, CountsWhatIsStoredOtherwiseThanAskedFor) {
  const WriteReport report = write(golden("e2b"), FileType::q4_k_m);  // 32 columns
  const Checkpoint written = Checkpoint::open(target());
  EXPECT_EQ(written.get("layers.1.ffn.up_proj").dtype, DType::q5_0);
  EXPECT_EQ(written.get("embedding").dtype, DType::q8_0);
  ASSERT_FALSE(report.fallbacks.empty());
  EXPECT_EQ(report.fallbacks[0].wanted, DType::q6_k);
  EXPECT_EQ(report.fallbacks[0].cols, 32);
  EXPECT_GT(report.of(TensorClass::ffn).error.errors, 0);
  EXPECT_GT(report.bits_per_weight(), 5);
  EXPECT_LT(report.bits_per_weight(), 13);
}

TEST_F(WriteGguf, RefusesWhatGgufCannotHold) {
  EXPECT_THAT(message_of(golden("e4b-fp8"), FileType::as_is), HasSubstr("FP8"));
  EXPECT_THAT(message_of(golden("e4b-nvfp4"), FileType::as_is), HasSubstr("32 columns do not fit"));
  EXPECT_EQ(n_files(), 0U);
  EXPECT_EQ(message_of(golden("e4b-fp8"), FileType::q8_0), "no error");
}

TEST_F(WriteGguf, NeverWritesOverWhatItReads) {
  fs::copy(golden("e2b/e2b.gguf"), target());
  EXPECT_THAT(message_of(target(), FileType::q8_0), HasSubstr("is the model that is read"));
  EXPECT_EQ(fs::file_size(target()), fs::file_size(golden("e2b/e2b.gguf")));
}

TEST_F(WriteGguf, NeverWritesOverAFileOfTheFolderThatItReads) {
  const fs::path source = copy_of("e2b");
  write_file(source / "tokenizer_config.json", "{}");
  const fs::path weights = source / "model.safetensors";
  const std::uintmax_t size = fs::file_size(weights);
  const Checkpoint checkpoint = Checkpoint::open(source);
  for (const fs::path& path : {weights, source / "config.json", source / "tokenizer_config.json"}) {
    EXPECT_THROW(write_gguf(checkpoint, path, options_of(FileType::q8_0)), Error) << path;
  }
  EXPECT_EQ(fs::file_size(weights), size);
  write_gguf(checkpoint, source / "beside.gguf", options_of(FileType::q8_0));
  write_gguf(checkpoint, source / "beside.gguf", options_of(FileType::q8_0));
}

TEST_F(WriteGguf, LeavesNothingBehindWhenItIsStopped) {
  WriteOptions options = options_of(FileType::q8_0);
  int calls = 0;
  options.progress = [&](std::uint64_t, std::uint64_t) {
    if (++calls == 5) throw Error("stopped");
  };
  EXPECT_THROW(write_gguf(Checkpoint::open(golden("e2b")), target(), options), Error);
  EXPECT_EQ(calls, 5);
  EXPECT_EQ(n_files(), 0U);
}

TEST_F(WriteGguf, TellsProgressUpToAllBytesOfTheSource) {
  WriteOptions options = options_of(FileType::bf16);
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  options.progress = [&](std::uint64_t d, std::uint64_t t) {
    EXPECT_GE(d, done);
    done = d;
    total = t;
  };
  write_gguf(Checkpoint::open(golden("26b-a4b")), target(), options);
  EXPECT_GT(done, 0U);
  EXPECT_EQ(done, total);
}

/// A tokenizer of Gemma's kind with fewer pieces than a tiny model has rows.
std::string small_tokenizer() {
  Json vocabulary = Json::object();
  Json added = Json::array();
  const auto add = [&](const std::string& piece) { vocabulary[piece] = vocabulary.size(); };
  for (const char* piece : {"<pad>", "<eos>", "<bos>", "<unk>"}) {
    added.push_back({{"id", vocabulary.size()}, {"content", piece}, {"special", true}});
    add(piece);
  }
  for (int byte = 0; byte < 256; ++byte) add(fmt::format("<0x{:02X}>", byte));
  for (const char* piece : {"a", "b", "ab", "▁"}) add(piece);
  for (const char* piece : {"<turn|>", "<|channel>"}) {
    added.push_back({{"id", vocabulary.size()}, {"content", piece}, {"special", true}});
    add(piece);
  }
  // Not in the model's vocabulary.
  added.push_back({{"id", vocabulary.size()}, {"content", "extra"}, {"special", false}});
  const Json json = {
      {"added_tokens", added},
      {"normalizer", {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "▁"}}},
      {"decoder",
       {{"type", "Sequence"},
        {"decoders",
         {{{"type", "Replace"}, {"pattern", {{"String", "▁"}}}, {"content", " "}},
          {{"type", "ByteFallback"}},
          {{"type", "Fuse"}}}}}},
      {"model",
       {{"type", "BPE"},
        {"unk_token", "<unk>"},
        {"fuse_unk", true},
        {"byte_fallback", true},
        {"vocab", vocabulary},
        {"merges", Json::array({"a b"})}}}};
  return to_text(json);
}

TEST_F(WriteGguf, WritesTheTokenizerOfAFolder) {
  const fs::path source = copy_of("e2b");
  write_file(source / "tokenizer.json", small_tokenizer());
  write_file(
      source / "tokenizer_config.json",
      R"({"eos_token": {"content": "<turn|>"}, "bos_token": "<bos>", "chat_template": "x"})");
  write_file(source / "chat_template.jinja", "{{ messages }}");
  write_file(source / "generation_config.json", R"({"eos_token_id": [1, 264, 265], "top_k": 64})");
  EXPECT_TRUE(write(source, FileType::as_is).has_tokenizer);

  const gguf::File file = gguf::File::open(target());
  const gguf::Metadata& keys = file.metadata();
  EXPECT_EQ(keys.find_string("tokenizer.ggml.model"), "gemma4");
  const auto pieces = keys.find_strings("tokenizer.ggml.tokens").value();
  const auto types = keys.find_integers("tokenizer.ggml.token_type").value();
  ASSERT_EQ(pieces.size(), 272U);  // a row of the embedding each
  ASSERT_EQ(types.size(), 272U);
  EXPECT_EQ(keys.find_floats("tokenizer.ggml.scores")->size(), 272U);
  EXPECT_EQ(pieces[262], "ab");
  EXPECT_EQ(types[2], 3);    // <bos> is control
  EXPECT_EQ(types[4], 6);    // a byte
  EXPECT_EQ(types[262], 1);  // normal
  EXPECT_EQ(types[264], 3);
  EXPECT_EQ(types[265], 4);  // <|channel> is shown to parsers
  EXPECT_EQ(types[266], 4);  // beside the vocabulary
  EXPECT_EQ(pieces[267], "[PAD267]");
  EXPECT_EQ(types[267], 5);
  EXPECT_THAT(keys.find_strings("tokenizer.ggml.merges").value(), ElementsAre("a b"));
  EXPECT_EQ(keys.find_integer("tokenizer.ggml.bos_token_id"), 2);
  EXPECT_EQ(keys.find_integer("tokenizer.ggml.eos_token_id"), 264);
  EXPECT_EQ(keys.find_integer("tokenizer.ggml.eot_token_id"), 1);
  EXPECT_EQ(keys.find_integer("tokenizer.ggml.eom_token_id"), 265);
  EXPECT_EQ(keys.find_integer("tokenizer.ggml.padding_token_id"), 0);
  EXPECT_EQ(keys.find_boolean("tokenizer.ggml.add_bos_token"), true);
  EXPECT_EQ(keys.find_string("tokenizer.chat_template"), "{{ messages }}");
  EXPECT_EQ(Checkpoint::open(target()).generation().top_k, 64);
}

TEST_F(WriteGguf, SaysWhatIsWrongWithATokenizer) {
  const fs::path source = copy_of("e2b");
  fs::copy(fs::path(golden_path()) / "text" / "tokenizer.json", source / "tokenizer.json");
  EXPECT_THAT(message_of(source, FileType::as_is),
              HasSubstr("3500 pieces, but the token embedding has 272 rows"));
  write_file(source / "tokenizer.json", "{");
  EXPECT_THAT(message_of(source, FileType::as_is), HasSubstr("tokenizer.json"));
  write_file(source / "tokenizer.json", small_tokenizer());
  write_file(source / "tokenizer_config.json", "[]");
  EXPECT_THAT(message_of(source, FileType::as_is), HasSubstr("tokenizer_config.json"));
  EXPECT_EQ(n_files(), 1U);
}

}  // namespace
}  // namespace pleiad::convert
