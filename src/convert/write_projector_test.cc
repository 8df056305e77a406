#include "convert/write_projector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "backend/cpu/cpu_backend.h"
#include "base/error.h"
#include "base/testing/json.h"
#include "convert/testing/write_tower.h"
#include "convert/write_folder.h"
#include "convert/write_gguf.h"
#include "formats/gguf/reader.h"
#include "formats/safetensors/folder.h"
#include "model/gemma4/vision/encoder.h"
#include "model/testing/golden_media.h"
#include "model/testing/same_model.h"

namespace pleiad::convert {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing_support::expect_keys_of;
using testing_support::expect_same_config;
using testing_support::expect_same_values;
using testing_support::expect_tensors_of;
using testing_support::golden_media;
using testing_support::WriteTower;

gemma4::VisionConfig config_of(const Checkpoint& checkpoint) {
  gemma4::VisionConfig config = *checkpoint.vision();
  config.patch_order = gemma4::PatchOrder::pixels;  // the container's own
  return config;
}

TEST_F(WriteTower, AFoldersTowerBecomesTheProjectorFileThatLlamaCppReads) {
  for (const char* family : {"e2b", "26b-a4b"}) {
    SCOPED_TRACE(family);
    const WriteReport report = write(golden_media(family), options_of(FileType::as_is));
    ASSERT_TRUE(report.towers.vision);
    EXPECT_FALSE(report.towers.audio);
    ASSERT_TRUE(report.projector);
    EXPECT_EQ(report.projector->file, projector());
    EXPECT_EQ(report.projector->bytes, fs::file_size(projector()));
    EXPECT_EQ(report.left_out.vision, 0U);
    // What the reference's weights become by gguf-py (tools/reference/media).
    const std::string name = std::string("mmproj-") + family + ".gguf";
    const gguf::File expected = gguf::File::open(golden_media(family) / name);
    const gguf::File written = gguf::File::open(projector());
    expect_keys_of(expected, written, [](std::string_view key) { return key != "general.name"; });
    EXPECT_EQ(written.metadata().find_boolean("clip.use_gelu"), true);
    ASSERT_EQ(written.tensors().size(), expected.tensors().size());
    expect_tensors_of(expected, written);
  }
}

TEST_F(WriteTower, AFoldersEmbedderBecomesTheProjectorFileThatLlamaCppReads) {
  const WriteReport report = write(golden_media("12b"), options_of(FileType::as_is));
  ASSERT_TRUE(report.towers.vision && report.towers.audio);
  EXPECT_TRUE(report.towers.vision->is_embedder && report.towers.audio->is_embedder);
  const gguf::File expected = gguf::File::open(golden_media("12b") / "mmproj-12b.gguf");
  const gguf::File written = gguf::File::open(projector());
  expect_keys_of(expected, written, [](std::string_view key) { return key.starts_with("clip."); });
  expect_tensors_of(expected, written);
  EXPECT_EQ(expected.tensors().size(), 11U);
}

TEST_F(WriteTower, TheFolderOfAModelWithAnEmbedderIsAUnifiedOne) {
  const fs::path back = folder_ / "back";
  write_folder(Checkpoint::open(golden_media("12b") / "12b.gguf"), back,
               options_of(FileType::as_is));
  std::ifstream config_text(back / "config.json");
  const Json config = json_from(config_text);
  EXPECT_EQ(config["architectures"], Json::array({"Gemma4UnifiedForConditionalGeneration"}));
  EXPECT_EQ(config["text_config"]["model_type"], "gemma4_unified_text");
  EXPECT_FALSE(config["text_config"].contains("hidden_size_per_layer_input"));
  EXPECT_EQ(config["vision_config"]["mm_embed_dim"], 64);
  EXPECT_EQ(config["vision_config"]["patch_size"], 16);
  EXPECT_EQ(config["vision_config"]["pooling_kernel_size"], 3);
  EXPECT_EQ(config["audio_config"]["model_type"], "gemma4_unified_audio");
  EXPECT_EQ(config["audio_config"]["audio_embed_dim"], 640);
  EXPECT_EQ(config["boa_token_id"], 262);
  EXPECT_EQ(config["audio_token_id"], 264);
  EXPECT_EQ(config["eoa_token_index"], 263);
  std::ifstream processor_text(back / "processor_config.json");
  const Json processor = json_from(processor_text);
  EXPECT_EQ(processor["audio_ms_per_token"], 40.0);
  EXPECT_EQ(processor["feature_extractor"]["audio_samples_per_token"], 640);
  std::ifstream generation_text(back / "generation_config.json");
  EXPECT_EQ(json_from(generation_text)["suppress_tokens"], Json::array({270}));
  const auto folder = safetensors::Folder::open(back);
  EXPECT_NE(folder.find_tensor("model.vision_embedder.pos_embedding"), nullptr);
  EXPECT_NE(folder.find_tensor("model.embed_audio.embedding_projection.weight"), nullptr);
  EXPECT_EQ(Checkpoint::open(back).sound_problem(), "");
}

TEST_F(WriteTower, AFolderComesBackFromGgufBitForBit) {
  for (const char* family : {"e2b", "12b", "26b-a4b"}) {
    SCOPED_TRACE(family);
    const Checkpoint source = Checkpoint::open(golden_media(family));
    write(golden_media(family), options_of(FileType::as_is));
    const fs::path back = folder_ / family;
    const Checkpoint gguf = Checkpoint::open(model());
    ASSERT_NE(gguf.vision(), nullptr) << gguf.vision_problem();
    EXPECT_EQ(gguf.projector(), projector());
    const WriteReport report = write_folder(gguf, back, options_of(FileType::as_is));
    ASSERT_TRUE(report.towers.vision);
    EXPECT_FALSE(report.projector);
    const Checkpoint written = Checkpoint::open(back);
    ASSERT_NE(written.vision(), nullptr) << written.vision_problem();
    EXPECT_EQ(config_of(written), config_of(source));
    expect_same_config(written.config(), source.config());
    EXPECT_EQ(written.config().bidirectional_blocks, source.config().bidirectional_blocks);
    expect_same_values(source, written);
    std::size_t n_tensors = 0;
    source.for_each_vision([&](std::string_view name, const HostTensor& tensor) {
      const HostTensor* found = written.find_vision(name);
      ASSERT_NE(found, nullptr) << name;
      EXPECT_EQ(found->name, tensor.name);  // as in the file
      EXPECT_EQ(found->dtype, tensor.dtype) << name;
      EXPECT_TRUE(std::ranges::equal(found->data, tensor.data)) << name;
      ++n_tensors;
    });
    EXPECT_GE(n_tensors, 10U);
  }
}

/// Soft tokens of a picture of the formula.
std::vector<float> soft_tokens(const fs::path& path) {
  const Checkpoint checkpoint = Checkpoint::open(path);
  cpu::CpuBackend backend({.isa = "", .n_threads = 1, .max_rows = 64});
  const auto tower = gemma4::make_vision_encoder(checkpoint, backend, {.max_rows = 64});
  const PictureInput picture = testing_support::pattern_picture(96, 144, 3);
  const auto encoding = tower->begin(picture);
  while (!encoding->advance(1 << 20)) {
  }
  return encoding->take();
}

TEST_F(WriteTower, SoftTokensAreTheSameBitsAfterThereAndBack) {
  for (const char* family : {"e2b", "12b", "26b-a4b"}) {
    SCOPED_TRACE(family);
    const fs::path back = folder_ / family;
    write(golden_media(family), options_of(FileType::as_is));
    write_folder(Checkpoint::open(model()), back, options_of(FileType::as_is));
    const std::vector<float> expected = soft_tokens(golden_media(family));
    EXPECT_EQ(soft_tokens(back), expected);
    // The patch embedding's columns have another order in GGUF, and so do its sums.
    const std::vector<float> in_gguf = soft_tokens(model());
    ASSERT_EQ(in_gguf.size(), expected.size());
    float largest = 0;
    for (const float value : expected) largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(in_gguf[i], expected[i], 0.03F * largest) << i;  // bf16 tiles at worst
    }
  }
}

TEST_F(WriteTower, TheFolderOfAGgufFileIsThatOfAModelThatSees) {
  const fs::path back = folder_ / "back";
  write_folder(Checkpoint::open(golden_media("e2b") / "e2b.gguf"), back,
               options_of(FileType::as_is));
  std::ifstream config_text(back / "config.json");
  const Json config = json_from(config_text);
  EXPECT_EQ(config["architectures"], Json::array({"Gemma4ForConditionalGeneration"}));
  EXPECT_EQ(config["model_type"], "gemma4");
  EXPECT_EQ(config["text_config"]["model_type"], "gemma4_text");
  EXPECT_EQ(config["vision_config"]["hidden_size"], 128);
  EXPECT_EQ(config["vision_config"]["use_clipped_linears"], true);
  EXPECT_TRUE(config["audio_config"].is_null());
  std::ifstream processor_text(back / "processor_config.json");
  const Json processor = json_from(processor_text);
  EXPECT_EQ(processor["image_processor"]["max_soft_tokens"],
            config["vision_soft_tokens_per_image"]);
  EXPECT_EQ(processor["image_processor"]["resample"], 3);
  const auto folder = safetensors::Folder::open(back);
  EXPECT_NE(folder.find_tensor("model.language_model.embed_tokens.weight"), nullptr);
  EXPECT_NE(folder.find_tensor("model.embed_vision.embedding_projection.weight"), nullptr);
}

TEST_F(WriteTower, IsStoredAsOnesAskedForWhereBlocksFit) {
  WriteOptions options = options_of(FileType::q8_0);
  options.towers.vision.type = DType::q5_k;  // of 256 columns, which a tower of 128 does not have
  const WriteReport none = write(golden_media("e2b"), options);
  ASSERT_FALSE(none.towers.vision->fallbacks.empty());
  EXPECT_EQ(none.towers.vision->fallbacks[0].wanted, DType::q5_k);
  EXPECT_EQ(none.towers.vision->types.count(DType::q5_k), 0U);
  options.towers.vision.type = DType::q8_0;
  const WriteReport report = write(golden_media("e2b"), options);
  EXPECT_TRUE(report.towers.vision->fallbacks.empty());
  const Checkpoint written = Checkpoint::open(model());
  ASSERT_NE(written.vision(), nullptr) << written.vision_problem();
  EXPECT_EQ(written.find_vision("vision.layers.0.attention.q_proj")->dtype, DType::q8_0);
  EXPECT_EQ(written.find_vision("vision.patch_embedding")->dtype, DType::f32);
  EXPECT_GT(report.towers.vision->error.errors, 0);
  EXPECT_LT(
      ErrorSums::relative(report.towers.vision->error.errors, report.towers.vision->error.values),
      0.02);
}

TEST_F(WriteTower, IsLeftOutOnRequestAndSaidToBe) {
  WriteOptions options = options_of(FileType::as_is);
  options.towers.vision.left_out = true;
  const WriteReport report = write(golden_media("e2b"), options);
  EXPECT_FALSE(report.towers.vision);
  EXPECT_FALSE(report.projector);
  EXPECT_GT(report.left_out.vision, 20U);
  EXPECT_FALSE(fs::exists(projector()));
  const fs::path text = folder_ / "text";
  EXPECT_GT(write_folder(Checkpoint::open(golden_media("e2b")), text, options).left_out.vision,
            20U);
  const Checkpoint written = Checkpoint::open(text);
  EXPECT_EQ(written.vision(), nullptr);
  EXPECT_EQ(written.unused().vision, 0U);
}

TEST_F(WriteTower, GoesWhereItIsAskedToAndNeverOverWhatIsRead) {
  WriteOptions options = options_of(FileType::as_is);
  options.projector = folder_ / "else" / "eyes.gguf";
  fs::create_directories(folder_ / "else");
  write(golden_media("e2b"), options);
  EXPECT_TRUE(fs::exists(options.projector));
  EXPECT_FALSE(fs::exists(projector()));
  const Checkpoint source = Checkpoint::open(model(), {options.projector});
  EXPECT_THAT(message_of([&] { write_gguf(source, folder_ / "b.gguf", options); }),
              HasSubstr("is the projector that is read"));
  options.projector = folder_ / "b.gguf";
  EXPECT_THAT(message_of([&] { write_gguf(source, folder_ / "b.gguf", options); }),
              HasSubstr("model and projector at once"));
  EXPECT_FALSE(fs::exists(folder_ / "b.gguf"));
}

TEST_F(WriteTower, LeavesNothingOfEitherFileWhenItIsStopped) {
  const Checkpoint source = Checkpoint::open(golden_media("e2b"));
  WriteOptions options = options_of(FileType::as_is);
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    if (done == total) throw Error("stopped");  // within the tower, which comes last
  };
  EXPECT_THROW(write_gguf(source, model(), options), Error);
  EXPECT_TRUE(fs::is_empty(folder_));
}

}  // namespace
}  // namespace pleiad::convert
