// Audio towers, and the 12B's embedder of sounds, in new files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/testing/json.h"
#include "convert/folder_plan.h"
#include "convert/testing/write_tower.h"
#include "convert/write_folder.h"
#include "formats/safetensors/folder.h"
#include "model/testing/changed_projector.h"
#include "model/testing/encoder_testing.h"
#include "model/testing/golden_media.h"
#include "model/testing/golden_sounds.h"

namespace pleiad::convert {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing_support::expect_keys_of;
using testing_support::golden_audio;
using testing_support::golden_media;
using testing_support::pattern_sound;
using testing_support::relative_difference;
using testing_support::SoundRunner;
using testing_support::values_of;

constexpr std::string_view kScale = ".per_dim_scale.weight";

class WriteAudio : public testing_support::WriteTower {
 protected:
  /// The folder of a GGUF file.
  fs::path folder_of(const fs::path& gguf, const std::string& name, const WriteOptions& options,
                     const fs::path& projector = {}) const {
    write_folder(Checkpoint::open(gguf, {projector}), folder_ / name, options);
    return folder_ / name;
  }

  static Json json_of(const fs::path& path) {
    std::ifstream text(path);
    return json_from(text);
  }
};

std::vector<float> soft_tokens_of_sound(const fs::path& path) {
  SoundRunner runner(path);
  return runner.encode(pattern_sound(20'000, 3));
}

/// Every tensor of the tower under its name in the file, byte for byte.
void expect_same_audio(const Checkpoint& found, const Checkpoint& expected) {
  ASSERT_NE(found.audio(), nullptr) << found.audio_problem();
  EXPECT_EQ(*found.audio(), *expected.audio());
  std::size_t n_tensors = 0;
  expected.for_each_audio([&](std::string_view name, const HostTensor& tensor) {
    const HostTensor* same = found.find_audio(name);
    ASSERT_NE(same, nullptr) << name;
    EXPECT_EQ(same->name, tensor.name);
    EXPECT_EQ(same->dtype, tensor.dtype) << name;
    EXPECT_TRUE(std::ranges::equal(same->data, tensor.data)) << name;
    ++n_tensors;
  });
  EXPECT_GE(n_tensors, expected.audio()->is_embedder() ? 1U : 100U);
}

TEST_F(WriteAudio, AFoldersTowersBecomeTheOneProjectorFileThatLlamaCppReads) {
  const WriteReport report = write(golden_audio(), options_of(FileType::as_is));
  ASSERT_TRUE(report.towers.vision && report.towers.audio);
  EXPECT_FALSE(report.towers.audio->is_embedder);
  EXPECT_EQ(report.projector->bytes, fs::file_size(projector()));
  EXPECT_EQ(report.left_out.audio, 0U);
  const gguf::File expected = gguf::File::open(golden_audio() / "mmproj-e2b.gguf");
  const gguf::File written = gguf::File::open(projector());
  expect_keys_of(expected, written, [](std::string_view key) {
    // What converters write there is not the tower's.
    return key.starts_with("clip.") && key != "clip.audio.attention.layer_norm_epsilon";
  });
  ASSERT_EQ(written.tensors().size(), expected.tensors().size());
  std::size_t n_scales = 0;
  for (const gguf::TensorInfo& tensor : expected.tensors()) {
    const gguf::TensorInfo* found = written.find_tensor(tensor.name);
    ASSERT_NE(found, nullptr) << tensor.name;
    EXPECT_EQ(found->shape, tensor.shape) << tensor.name;
    EXPECT_EQ(found->dtype, tensor.dtype) << tensor.name;
    const auto a = values_of({"", *tensor.dtype, tensor.shape, tensor.data, {}});
    const auto b = values_of({"", *found->dtype, found->shape, found->data, {}});
    if (tensor.name.ends_with(kScale)) {
      EXPECT_LE(relative_difference(b, a), 1e-6) << tensor.name;
      ++n_scales;
    } else {
      EXPECT_EQ(a, b) << tensor.name;
    }
  }
  EXPECT_EQ(n_scales, 3U);
}

TEST_F(WriteAudio, AFolderComesBackFromGgufBitForBit) {
  for (const fs::path& golden : {golden_audio(), golden_media("12b")}) {
    SCOPED_TRACE(golden);
    write(golden, options_of(FileType::as_is));
    const Checkpoint gguf = Checkpoint::open(model());
    EXPECT_EQ(gguf.audio_projector(), projector());
    const fs::path back =
        folder_of(model(), golden.filename().string(), options_of(FileType::as_is));
    expect_same_audio(Checkpoint::open(back), Checkpoint::open(golden));
  }
}

// Whose softplus was computed by another program.
TEST_F(WriteAudio, AFolderComesBackFromTheProjectorFileOfAConverter) {
  const fs::path back = folder_of(golden_audio() / "e2b.gguf", "back", options_of(FileType::as_is));
  const Checkpoint found = Checkpoint::open(back);
  const Checkpoint expected = Checkpoint::open(golden_audio());
  expect_same_audio(found, expected);
  EXPECT_EQ(found.sound_tokens(), expected.sound_tokens());
  EXPECT_EQ(found.sound_problem(), "");
}

TEST_F(WriteAudio, SoftTokensAreTheSameBitsInEveryFile) {
  const std::vector<float> expected = soft_tokens_of_sound(golden_audio());
  write(golden_audio(), options_of(FileType::as_is));
  EXPECT_EQ(soft_tokens_of_sound(model()), expected);
  const fs::path back = folder_of(model(), "back", options_of(FileType::as_is));
  EXPECT_EQ(soft_tokens_of_sound(back), expected);
  write(golden_audio() / "e2b.gguf", options_of(FileType::as_is));  // of a converter
  EXPECT_EQ(soft_tokens_of_sound(model()), soft_tokens_of_sound(golden_audio() / "e2b.gguf"));
  WriteOptions wide = options_of(FileType::q8_0);
  wide.towers.audio.type = DType::f32;
  write(golden_audio(), wide);
  EXPECT_EQ(Checkpoint::open(model()).find_audio("audio.layers.0.conv.start")->dtype, DType::f32);
  // Of f32 and bf16 with the same values products are the same where activations are not rounded.
  EXPECT_LE(relative_difference(soft_tokens_of_sound(model()), expected),
            testing_support::encoder_tolerance(testing_support::isa_names().back()));
}

TEST_F(WriteAudio, IsStoredAsAskedForWithAnErrorOfTheTypesOwn) {
  const std::vector<float> expected = soft_tokens_of_sound(golden_audio());
  WriteOptions options = options_of(FileType::q8_0);
  options.towers.audio.type = DType::q8_0;
  const WriteReport report = write(golden_audio(), options);
  const Checkpoint written = Checkpoint::open(model());
  for (const char* matrix : {"audio.input_proj", "audio.layers.2.attention.relative_k_proj",
                             "audio.layers.1.conv.end", "audio.projector"}) {
    EXPECT_EQ(written.find_audio(matrix)->dtype, DType::q8_0) << matrix;
  }
  for (const char* other : {"audio.conv0", "audio.conv1", "audio.layers.0.conv.depthwise",
                            "audio.layers.0.attention.per_dim_scale", "audio.output_bias"}) {
    EXPECT_EQ(written.find_audio(other)->dtype, DType::f32) << other;
  }
  EXPECT_EQ(written.find_vision("vision.projector")->dtype, DType::bf16) << "its own flag's";
  EXPECT_GT(report.towers.audio->error.errors, 0);
  EXPECT_LT(
      ErrorSums::relative(report.towers.audio->error.errors, report.towers.audio->error.values),
      0.01);
  EXPECT_EQ(report.towers.vision->error.errors, 0);
  const double difference = relative_difference(soft_tokens_of_sound(model()), expected);
  EXPECT_GT(difference, 0.0);
  EXPECT_LT(difference, 0.1) << "0.05 where activations meet Q8_0 as 8-bit integers";
}

TEST_F(WriteAudio, EachTowerIsLeftOutByItself) {
  for (const auto& [golden, n_vision, n_audio] :
       {std::tuple{golden_audio(), 85U, 194U}, std::tuple{golden_media("12b"), 10U, 1U}}) {
    SCOPED_TRACE(golden);
    WriteOptions deaf = options_of(FileType::as_is);
    deaf.towers.audio.left_out = true;
    const WriteReport without_audio = write(golden, deaf);
    EXPECT_EQ(without_audio.left_out.audio, n_audio);
    EXPECT_EQ(without_audio.left_out.vision, 0U);
    EXPECT_NE(Checkpoint::open(model()).vision(), nullptr);
    EXPECT_EQ(Checkpoint::open(model()).audio(), nullptr);
    WriteOptions blind = options_of(FileType::as_is);
    blind.towers.vision.left_out = true;
    const WriteReport without_vision = write(golden, blind);
    EXPECT_EQ(without_vision.left_out.vision, n_vision);
    EXPECT_EQ(without_vision.left_out.audio, 0U);
    EXPECT_EQ(Checkpoint::open(model()).vision(), nullptr);
    EXPECT_EQ(Checkpoint::open(model()).audio_projector(), projector());
    EXPECT_EQ(soft_tokens_of_sound(model()), soft_tokens_of_sound(golden));
    // The same of folders.
    for (const fs::path& source : {golden, model()}) {
      const fs::path folder = folder_ / "blind";
      write_folder(Checkpoint::open(source), folder, blind);
      EXPECT_TRUE(json_of(folder / "config.json")["vision_config"].is_null());
      EXPECT_EQ(Checkpoint::open(folder).unused().vision, 0U);
      expect_same_audio(Checkpoint::open(folder), Checkpoint::open(golden));
      fs::remove_all(folder);
    }
    write_folder(Checkpoint::open(golden), folder_ / "deaf", deaf);
    EXPECT_TRUE(json_of(folder_ / "deaf" / "config.json")["audio_config"].is_null());
    EXPECT_EQ(Checkpoint::open(folder_ / "deaf").unused().audio, 0U);
    EXPECT_NE(Checkpoint::open(folder_ / "deaf").vision(), nullptr);
    fs::remove_all(folder_ / "deaf");
  }
}

TEST_F(WriteAudio, TheFolderOfAGgufFileIsThatOfAModelThatHears) {
  const fs::path back = folder_of(golden_audio() / "e2b.gguf", "back", options_of(FileType::as_is));
  const Json config = json_of(back / "config.json");
  Json audio = config["audio_config"];
  const Json expected = json_of(golden_audio() / "config.json")["audio_config"];
  for (const auto& [field, value] : expected.items()) EXPECT_EQ(audio[field], value) << field;
  EXPECT_EQ(config["architectures"], Json::array({"Gemma4ForConditionalGeneration"}));
  EXPECT_EQ(config["boa_token_id"], 268);
  EXPECT_EQ(config["audio_token_id"], 271);
  EXPECT_EQ(config["eoa_token_index"], 262);
  const Json processor = json_of(back / "processor_config.json");
  EXPECT_EQ(processor["audio_ms_per_token"], 40.0);
  EXPECT_EQ(processor["audio_seq_length"], 750);
  EXPECT_EQ(processor["feature_extractor"]["feature_extractor_type"],
            "Gemma4AudioFeatureExtractor");
  EXPECT_EQ(processor["feature_extractor"]["feature_size"], 128);
  EXPECT_EQ(processor["feature_extractor"]["frame_length"], 320);
  const auto folder = safetensors::Folder::open(back);
  EXPECT_NE(folder.find_tensor("model.audio_tower.layers.0.lconv1d.depthwise_conv1d.weight"),
            nullptr);
  EXPECT_NE(folder.find_tensor("model.embed_audio.embedding_projection.weight"), nullptr);
}

TEST_F(WriteAudio, AFoldersMatricesChangeTheirTypeWhereAskedTo) {
  for (const fs::path& golden : {golden_audio(), golden_media("12b")}) {
    SCOPED_TRACE(golden);
    WriteOptions options = options_of(FileType::as_is);
    options.towers.audio.type = DType::f32;
    const WriteReport report =
        write_folder(Checkpoint::open(golden), folder_ / golden.filename(), options);
    const Checkpoint source = Checkpoint::open(golden);
    const Checkpoint written = Checkpoint::open(folder_ / golden.filename());
    EXPECT_EQ(written.find_audio("audio.projector")->dtype, DType::f32);
    EXPECT_EQ(values_of(*written.find_audio("audio.projector")),
              values_of(*source.find_audio("audio.projector")));
    EXPECT_GE(report.towers.audio->types.at(DType::f32).n_tensors, 1U);
    EXPECT_EQ(written.find_vision("vision.projector")->dtype, DType::bf16);
  }
}

// The config.json of a text model is that of another class.
TEST_F(WriteAudio, TheFolderOfATextModelGetsBothTowersOfAProjectorFile) {
  const std::pair<fs::path, std::string> models[] = {{golden_audio(), "e2b"},
                                                     {golden_media("12b"), "12b"}};
  for (const auto& [golden, name] : models) {
    SCOPED_TRACE(name);
    const fs::path projector = golden / ("mmproj-" + name + ".gguf");
    WriteOptions text_alone = options_of(FileType::as_is);
    text_alone.towers.vision.left_out = text_alone.towers.audio.left_out = true;
    const fs::path text = folder_of(golden / (name + ".gguf"), name + "-text", text_alone);
    EXPECT_FALSE(json_of(text / "config.json").contains("text_config"));
    const fs::path whole = folder_of(text, name + "-whole", options_of(FileType::as_is), projector);
    const Json config = json_of(whole / "config.json");
    const bool is_unified = name == "12b";
    EXPECT_EQ(config["model_type"], is_unified ? "gemma4_unified" : "gemma4");
    EXPECT_TRUE(config["vision_config"].is_object());
    EXPECT_TRUE(config["audio_config"].is_object());
    EXPECT_TRUE(fs::exists(whole / "processor_config.json"));
    const auto folder = safetensors::Folder::open(whole);
    EXPECT_NE(folder.find_tensor("model.language_model.embed_tokens.weight"), nullptr);
    const Checkpoint written = Checkpoint::open(whole);
    EXPECT_EQ(written.unused().unknown, std::vector<std::string>());
    testing_support::expect_same_values(Checkpoint::open(golden), written);
    ASSERT_NE(written.vision(), nullptr) << written.vision_problem();
    ASSERT_NE(written.audio(), nullptr) << written.audio_problem();
    EXPECT_EQ(written.picture_problem(), "");
    EXPECT_EQ(written.sound_problem(), "");
    const Checkpoint spelled = Checkpoint::open(golden / (name + ".gguf"));
    EXPECT_EQ(written.media_tokens(), spelled.media_tokens());
    EXPECT_EQ(written.sound_tokens(), spelled.sound_tokens());
    EXPECT_EQ(soft_tokens_of_sound(whole), soft_tokens_of_sound(golden));
  }
}

TEST_F(WriteAudio, TheFolderOfAModelThatSeesIsToldHowItHears) {
  WriteOptions deaf = options_of(FileType::as_is);
  deaf.towers.audio.left_out = true;
  const fs::path sees = folder_of(golden_audio() / "e2b.gguf", "sees", deaf);
  const Json before = json_of(sees / "processor_config.json");
  EXPECT_FALSE(before.contains("feature_extractor"));
  EXPECT_FALSE(json_of(sees / "config.json").contains("audio_token_id"));
  const fs::path hears =
      folder_of(sees, "hears", options_of(FileType::as_is), golden_audio() / "mmproj-e2b.gguf");
  const Json processor = json_of(hears / "processor_config.json");
  EXPECT_EQ(processor["image_processor"], before["image_processor"]);
  EXPECT_EQ(processor["feature_extractor"]["feature_size"], 128);
  EXPECT_EQ(processor["audio_seq_length"], 750);
  const Json config = json_of(hears / "config.json");
  EXPECT_EQ(config["boa_token_id"], 268);
  EXPECT_EQ(config["audio_token_id"], 271);
  EXPECT_EQ(config["eoa_token_index"], 262);
  const Checkpoint written = Checkpoint::open(hears);
  EXPECT_EQ(written.picture_problem(), "");
  EXPECT_EQ(written.sound_problem(), "");
  EXPECT_EQ(soft_tokens_of_sound(hears), soft_tokens_of_sound(golden_audio()));
}

// A text model may be saved under any of several names.
TEST_F(WriteAudio, TensorsOfEveryPrefixGetTheNamesOfAModelWithTowers) {
  for (const char* name :
       {"model.layers.0.mlp.up_proj.weight", "model.language_model.layers.0.mlp.up_proj.weight",
        "language_model.model.layers.0.mlp.up_proj.weight",
        "language_model.layers.0.mlp.up_proj.weight", "layers.0.mlp.up_proj.weight"}) {
    EXPECT_EQ(nested_text_name(name), "model.language_model.layers.0.mlp.up_proj.weight") << name;
  }
  EXPECT_EQ(nested_text_name("lm_head.weight"), "lm_head.weight");
  EXPECT_EQ(nested_text_name("language_model.lm_head.weight"), "lm_head.weight");
}

TEST_F(WriteAudio, TowersThatAQuantizedFolderGetsAreIgnoredModules) {
  WriteOptions text_alone = options_of(FileType::nvfp4a16);
  text_alone.towers.vision.left_out = text_alone.towers.audio.left_out = true;
  const fs::path text = folder_of(golden_audio() / "e2b.gguf", "text", text_alone);
  const fs::path whole =
      folder_of(text, "whole", options_of(FileType::as_is), golden_audio() / "mmproj-e2b.gguf");
  const Json ignored = json_of(whole / "config.json")["quantization_config"]["ignore"];
  std::set<std::string> modules;
  for (const Json& module : ignored) EXPECT_TRUE(modules.insert(module).second) << module;
  EXPECT_TRUE(modules.contains("lm_head"));
  EXPECT_TRUE(modules.contains("model.embed_audio.embedding_projection"));
  EXPECT_TRUE(modules.contains("model.embed_vision.embedding_projection"));
  const auto is_text = [](const std::string& name) { return name.starts_with("model.layers."); };
  EXPECT_TRUE(std::ranges::none_of(modules, is_text));
  EXPECT_EQ(Checkpoint::open(whole).sound_problem(), "");
}

TEST_F(WriteAudio, WhatAProjectorFileCannotTellIsRefused) {
  fs::copy(golden_audio(), folder_ / "source");
  std::ostringstream text;
  text << std::ifstream(golden_audio() / "config.json").rdbuf();
  std::string config = text.str();
  const std::string field = "\"residual_weight\": 0.5";
  config.replace(config.find(field), field.size(), "\"residual_weight\": 0.25");
  std::ofstream(folder_ / "source" / "config.json") << config;
  EXPECT_THAT(message_of([&] { write(folder_ / "source", options_of(FileType::as_is)); }),
              HasSubstr("the audio tower has a residual_weight of 0.25, which a projector file "
                        "cannot tell (it stands for 0.5); --audio-type none leaves it out"));
  EXPECT_FALSE(fs::exists(model()));
  WriteOptions deaf = options_of(FileType::as_is);
  deaf.towers.audio.left_out = true;
  EXPECT_EQ(write(folder_ / "source", deaf).left_out.audio, 194U);
}

TEST_F(WriteAudio, AScaleThatNoFolderCanHoldIsRefused) {
  const fs::path broken = folder_ / "broken.gguf";
  testing_support::write_changed_gguf(
      {golden_audio() / "mmproj-e2b.gguf"}, broken,
      {.tensors = [](std::vector<testing_support::GgufTensor>& tensors) {
        const auto scale = std::ranges::find(tensors, "a.blk.1.per_dim_scale.weight",
                                             &testing_support::GgufTensor::name);
        std::ranges::fill(scale->data, std::byte{});
      }});
  EXPECT_THAT(message_of([&] {
                folder_of(golden_audio() / "e2b.gguf", "back", options_of(FileType::as_is), broken);
              }),
              HasSubstr("tensor 'a.blk.1.per_dim_scale.weight': 0 is no scale of queries: expected "
                        "a number above 0"));
  EXPECT_FALSE(fs::exists(folder_ / "back"));
}

TEST_F(WriteAudio, ATowerThatCannotBeUsedIsNotLostInSilence) {
  fs::create_directories(folder_ / "in");
  const fs::path source = folder_ / "in" / "m.gguf";
  fs::copy_file(golden_audio() / "e2b.gguf", source);
  for (const auto& [tensor, flag] : {std::pair{"a.blk.1.attn_q.weight", "--audio-type none"},
                                     std::pair{"v.blk.0.attn_q.weight", "--vision-type none"}}) {
    SCOPED_TRACE(tensor);
    const std::string missing = tensor;
    const auto remove = [&](auto& tensors) {
      std::erase_if(tensors, [&](const auto& found) { return found.name == missing; });
    };
    testing_support::write_changed_gguf({golden_audio() / "mmproj-e2b.gguf"},
                                        folder_ / "in" / "mmproj-m.gguf", {.tensors = remove});
    WriteOptions options = options_of(FileType::as_is);
    const std::string to_file = message_of([&] { write(source, options); });
    EXPECT_THAT(to_file, HasSubstr("'" + missing + "' is missing"));
    EXPECT_THAT(to_file, HasSubstr(flag));
    EXPECT_THAT(message_of([&] { folder_of(source, "folder", options); }), HasSubstr(flag));
    EXPECT_FALSE(fs::exists(model()));
    EXPECT_FALSE(fs::exists(folder_ / "folder"));
    const bool is_audio = missing.starts_with('a');
    (is_audio ? options.towers.audio : options.towers.vision).left_out = true;
    const WriteReport report = write(source, options);
    EXPECT_EQ(report.towers.audio.has_value(), !is_audio);
    EXPECT_EQ(report.towers.vision.has_value(), is_audio);
    fs::remove(model());
  }
}

TEST_F(WriteAudio, OneOfTwoFilesIsNotChosenInSilence) {
  fs::create_directories(folder_ / "in");
  const fs::path source = folder_ / "in" / "m.gguf";
  fs::copy_file(golden_audio() / "e2b.gguf", source);
  for (const char* name : {"mmproj-a.gguf", "mmproj-b.gguf"}) {
    fs::copy_file(golden_audio() / "mmproj-e2b.gguf", folder_ / "in" / name);
  }
  EXPECT_THAT(message_of([&] { write(source, options_of(FileType::as_is)); }),
              testing::AllOf(HasSubstr("2 projector files lie beside it"), HasSubstr("--mmproj"),
                             HasSubstr("--vision-type none")));
  EXPECT_FALSE(fs::exists(model()));
}

TEST_F(WriteAudio, IsNeverWrittenOverTheProjectorThatIsRead) {
  fs::copy_file(golden_audio() / "e2b.gguf", folder_ / "m.gguf");
  fs::copy_file(golden_audio() / "audio-alone.gguf", folder_ / "mmproj-m.gguf");
  const Checkpoint source = Checkpoint::open(folder_ / "m.gguf");
  ASSERT_NE(source.audio(), nullptr) << source.audio_problem();
  WriteOptions options = options_of(FileType::as_is);
  options.projector = folder_ / "mmproj-m.gguf";
  EXPECT_THAT(message_of([&] { write_gguf(source, model(), options); }),
              HasSubstr("is the projector that is read"));
}

}  // namespace
}  // namespace pleiad::convert
