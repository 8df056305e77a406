// Files of src/synthetic, of small sizes, as the rest of the program sees them.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "base/error.h"
#include "engine/loaded_model.h"
#include "fit/model_work.h"
#include "support/model_runner.h"
#include "synthetic/block_stream.h"
#include "synthetic/in_memory_model.h"
#include "synthetic/tensors.h"
#include "synthetic/write.h"
#include "text/tags.h"

namespace pleiad {
namespace {

namespace fs = std::filesystem;
using namespace synthetic;
using testing_support::ModelRunner;

// Rows are whole blocks of every type.
constexpr Dimensions kSmall = {
    .vocab_size = 1500,
    .model_dim = 256,
    .n_layers = 6,
    .full_attention_period = 3,
    .n_shared_kv_layers = 3,
    .n_heads = 4,
    .n_kv_heads = 2,
    .sliding_head_dim = 64,
    .full_head_dim = 128,
    .ffn_dim = 512,
    .shared_ffn_dim = 768,
    .per_layer_dim = 256,
    .sliding_window = 12,
    .context_length = 512,
};

class SyntheticModel : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("pleiad_synthetic_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const Spec& spec, const WriteOptions& options) {
    const fs::path path = folder_ / "model.gguf";
    gguf::Writer writer(path);
    write_model(writer, spec, kSmall, options);
    const std::uint64_t size = writer.file_size();
    writer.finish();
    EXPECT_EQ(fs::file_size(path), size);
    return path;
  }

  std::string bytes_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path folder_;
};

std::vector<std::int32_t> some_tokens() {
  std::vector<std::int32_t> tokens = {2};
  for (int i = 1; i < 30; ++i) tokens.push_back(i * 37 % kSmall.vocab_size);
  return tokens;
}

void expect_sane(const std::vector<float>& logits, const std::string& what) {
  double squares = 0;
  for (const float value : logits) {
    ASSERT_TRUE(std::isfinite(value)) << what;
    squares += value * value;
  }
  const double size = std::sqrt(squares / static_cast<double>(logits.size()));
  EXPECT_GT(size, 0.5) << what;
  EXPECT_LT(size, 10) << what << ": most are cut by the softcap at 30";
}

TEST_F(SyntheticModel, OfEveryTypeLoadsAndComputes) {
  for (const char* text : {"e2b:bf16", "e2b:f16", "e2b:q8_0", "e2b:q4_0", "e4b:q4_k", "e4b:q5_k",
                           "e4b:q6_k", "e4b:nvfp4"}) {
    const Spec spec = parse_spec(text);
    ModelRunner runner(write(spec, {.n_threads = 2}));
    EXPECT_EQ(runner.checkpoint().main_dtype(), spec.type) << text;
    EXPECT_TRUE(runner.checkpoint().unused().unknown.empty()) << text;
    EXPECT_EQ(runner.checkpoint().get("embedding").dtype, spec.head) << text;
    expect_sane(runner.logits(some_tokens(), 11), text);
  }
}

TEST_F(SyntheticModel, IsTheSameFileWithAnyNumberOfThreads) {
  const Spec spec = parse_spec("e2b:q4_0");
  const std::string alone = bytes_of(write(spec, {.n_threads = 1}));
  EXPECT_EQ(alone, bytes_of(write(spec, {.n_threads = 5})));
}

TEST_F(SyntheticModel, HasATokenizerForAnyText) {
  const Checkpoint checkpoint = Checkpoint::open(write(parse_spec("e2b:q4_0"), {}));
  const text::Tokenizer tokenizer = load_tokenizer(checkpoint);
  for (const std::string_view tag : text::kTagTexts) {
    EXPECT_GE(tokenizer.vocabulary().find(tag), 0) << tag;
  }
  const std::string text = "the tea: 1 + 2\n\nd\xC3\xA9j\xC3\xA0 vu \xE2\x98\x83";
  std::string back;
  for (const text::TokenId token : tokenizer.encode_text(text)) {
    EXPECT_LT(token, kSmall.vocab_size);
    const auto byte = text::parse_byte_piece(tokenizer.vocabulary().text(token));
    back += byte ? std::string(1, static_cast<char>(*byte))
                 : std::string(tokenizer.vocabulary().text(token));
  }
  for (std::size_t at = 0; (at = back.find("\xE2\x96\x81", at)) != std::string::npos;) {
    back.replace(at, 3, " ");
  }
  EXPECT_EQ(back, text);
}

TEST_F(SyntheticModel, InMemoryIsTheSameButForTheEmptyTable) {
  const Spec spec = parse_spec("e4b:q4_0");
  const InMemoryModel model(spec, kSmall, {.n_threads = 2});
  ModelRunner runner(model.path());
  ModelRunner on_disk(write(spec, {}));
  on_disk.checkpoint().for_each([&](std::string_view name, const HostTensor& tensor) {
    const HostTensor& other = runner.checkpoint().get(name);
    if (name == "per_layer.embedding") {
      EXPECT_TRUE(std::ranges::all_of(other.data, [](std::byte b) { return b == std::byte{0}; }));
    } else {
      EXPECT_TRUE(std::ranges::equal(tensor.data, other.data)) << name;
    }
  });
  expect_sane(runner.logits(some_tokens(), 7), "in memory");
}

TEST_F(SyntheticModel, InMemoryTakesNoMemoryForTheEmptyTable) {
  const InMemoryModel model(parse_spec("e2b:q4_0"), kSmall, {});
  struct stat status = {};
  ASSERT_EQ(::stat(model.path().c_str(), &status), 0);
  const std::int64_t table = kSmall.vocab_size * (kSmall.n_layers * 256 / 32 * 34);
  EXPECT_LT(status.st_blocks * 512, status.st_size - table + 3 * 4096);
  EXPECT_GT(status.st_size, table);
}

TEST_F(SyntheticModel, LeavesNothingWhenItIsStopped) {
  struct Stop {};
  const auto stop = [](std::uint64_t done, std::uint64_t total) {
    EXPECT_LE(done, total);
    if (done > total / 2) throw Stop();
  };
  EXPECT_THROW(write(parse_spec("e2b:q4_0"), {.progress = stop}), Stop);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(SyntheticModel, WhereNoFileCanBeIsAnError) {
  EXPECT_THROW(write_file(folder_ / "no folder" / "model.gguf", parse_spec("e2b:q4_0"), {}), Error);
}

// What is predicted before a download, beside the tensors of such a file.
TEST(SyntheticSizes, AreThoseThatFitPredicts) {
  for (const char* model : {"e2b", "e4b"}) {
    for (const auto& [text, type] :
         {std::pair{"q4_0", convert::FileType::q4_0}, std::pair{"q8_0", convert::FileType::q8_0},
          std::pair{"q6_k", convert::FileType::q6_k}, std::pair{"bf16", convert::FileType::bf16}}) {
      Spec spec = make_spec(model, text);
      const bool k_table = spec.type == DType::q4_0 || spec.type == DType::q6_k;
      if (k_table) spec.per_layer_table = DType::q6_k;
      spec.per_layer_gates = DType::bf16;
      std::uint64_t bytes = 0;
      for (const SyntheticTensor& tensor : tensor_list(spec, dimensions_of(spec))) {
        if (tensor.name != "rope_freqs.weight") bytes += byte_size(tensor);
      }
      EXPECT_EQ(fit::ModelWork(*gemma4::find_member(model), type).tensor_bytes(), bytes)
          << model << " " << text;
    }
  }
}

}  // namespace
}  // namespace pleiad
