#include "model/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "base/testing/json.h"
#include "formats/gguf/reader.h"
#include "formats/gguf/writer.h"
#include "formats/safetensors/file.h"
#include "model/gemma4/tensor_table.h"
#include "model/testing/same_model.h"
#include "tensor/decode.h"

namespace pleiad {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_support::golden;

/// A tensor to be written into a safetensors file.
struct Stored {
  std::string type;
  Shape shape;
  std::vector<std::byte> data;
};
using StoredTensors = std::map<std::string, Stored>;

StoredTensors read_safetensors(const fs::path& path) {
  StoredTensors tensors;
  const auto file = safetensors::File::open(path);
  for (const auto& info : file.tensors()) {
    tensors[info.name] = {info.type, info.shape, {info.data.begin(), info.data.end()}};
  }
  return tensors;
}

void write_safetensors(const fs::path& path, const StoredTensors& tensors) {
  Json header = Json::object();
  std::size_t offset = 0;
  for (const auto& [name, tensor] : tensors) {
    header[name] = {{"dtype", tensor.type},
                    {"shape", tensor.shape},
                    {"data_offsets", {offset, offset + tensor.data.size()}}};
    offset += tensor.data.size();
  }
  const std::string text = to_text(header);
  const std::uint64_t size = text.size();
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(&size), sizeof size);
  out << text;
  for (const auto& [name, tensor] : tensors) {
    out.write(reinterpret_cast<const char*>(tensor.data.data()),
              static_cast<std::streamsize>(tensor.data.size()));
  }
}

/// What stands before the names of the text model.
std::string prefix_of(const StoredTensors& tensors) {
  return tensors.contains("model.embed_tokens.weight") ? "model." : "model.language_model.";
}

std::vector<std::byte> bytes_of(std::vector<float> values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

std::vector<float> row_of(const HostTensor& tensor, std::int64_t row) {
  std::vector<float> values(static_cast<std::size_t>(tensor.cols()));
  decode_row(tensor, row, values.data());
  return values;
}

class CheckpointFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("pleiad_checkpoint_" + std::string(info->name()) + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string error_of(const fs::path& path) {
    try {
      (void)Checkpoint::open(path);
    } catch (const LoadError& error) {
      return error.what();
    }
    return "no error";
  }

  /// Copies config.json and generation_config.json of a golden model.
  void copy_configs(const std::string& model) {
    for (const char* file : {"config.json", "generation_config.json"}) {
      fs::copy_file(golden(model) / file, folder_ / file, fs::copy_options::overwrite_existing);
    }
  }

  /// A golden model as a folder, its tensors changed.
  void copy_folder(const std::string& model, const std::function<void(StoredTensors&)>& change) {
    copy_configs(model);
    StoredTensors tensors = read_safetensors(golden(model) / "model.safetensors");
    change(tensors);
    write_safetensors(folder_ / "model.safetensors", tensors);
  }

  /// A golden model as a GGUF file; `skip` leaves tensors out, `add` adds some.
  fs::path copy_gguf(const std::string& model, const std::function<bool(std::string_view)>& skip,
                     const std::map<std::string, std::vector<float>>& add = {}) {
    const auto source = gguf::File::open(golden(model) / (model + ".gguf"));
    const fs::path path = folder_ / "copy.gguf";
    gguf::Writer writer(path);
    for (const auto& [key, value] : source.metadata().values()) writer.set_value(key, value);
    for (const auto& tensor : source.tensors()) {
      if (!skip(tensor.name)) writer.add_tensor(tensor.name, tensor.ggml_type, tensor.shape);
    }
    for (const auto& [name, values] : add) {
      writer.add_tensor(name, DType::f32, {static_cast<std::int64_t>(values.size())});
    }
    for (const auto& tensor : source.tensors()) {
      if (!skip(tensor.name)) writer.write(tensor.data);
    }
    for (const auto& [name, values] : add) writer.write(std::as_bytes(std::span(values)));
    writer.finish();
    return path;
  }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

  fs::path folder_;
};

constexpr auto kNone = [](std::string_view) { return false; };

TEST_F(CheckpointFiles, OpensAFolderOrAnyFileInIt) {
  for (const fs::path& path : {golden("e2b"), golden("e2b") / "config.json",
                               golden("e2b") / "model.safetensors", golden("e2b") / ""}) {
    const Checkpoint checkpoint = Checkpoint::open(path);
    EXPECT_EQ(checkpoint.gguf(), nullptr) << path;
    EXPECT_EQ(checkpoint.config().n_layers(), 6) << path;
  }
}

TEST_F(CheckpointFiles, OpensAGgufUnderAnyNameOrAloneInAFolder) {
  const fs::path source = golden("e2b") / "e2b.gguf";
  fs::copy_file(source, folder_ / "sha256-0123");
  EXPECT_NE(Checkpoint::open(folder_ / "sha256-0123").gguf(), nullptr);
  fs::copy_file(source, folder_ / "a.gguf");
  write("mmproj-a.gguf", "not looked at");
  EXPECT_NE(Checkpoint::open(folder_).gguf(), nullptr);
  write("config.json", "{}");  // without safetensors beside it, as GGUF repositories have
  EXPECT_NE(Checkpoint::open(folder_).gguf(), nullptr);
  fs::copy_file(source, folder_ / "b.gguf");
  EXPECT_THAT(error_of(folder_), AllOf(HasSubstr("holds 2 GGUF models (a.gguf, b.gguf)"),
                                       HasSubstr("give the path of one")));
}

TEST_F(CheckpointFiles, OpensASplitGgufByItsFolder) {
  const auto source = gguf::File::open(golden("e2b") / "e2b.gguf");
  const std::size_t half = source.tensors().size() / 2;
  for (int part = 0; part < 2; ++part) {
    gguf::Writer writer(folder_ / fmt::format("m-{:05}-of-00002.gguf", part + 1));
    if (part == 0) {
      for (const auto& [key, value] : source.metadata().values()) writer.set_value(key, value);
    }
    writer.set_u32("split.no", static_cast<std::uint32_t>(part));
    writer.set_u32("split.count", 2);
    const auto all = std::span(source.tensors());
    const auto mine = part == 0 ? all.first(half) : all.subspan(half);
    for (const auto& tensor : mine) writer.add_tensor(tensor.name, tensor.ggml_type, tensor.shape);
    for (const auto& tensor : mine) writer.write(tensor.data);
    writer.finish();
  }
  const Checkpoint checkpoint = Checkpoint::open(folder_);
  const HostTensor& last = checkpoint.get("layers.5.ffn.down_proj");
  checkpoint.drop_pages(last);
  EXPECT_EQ(row_of(last, 3),
            row_of(Checkpoint::open(golden("e2b")).get("layers.5.ffn.down_proj"), 3));
}

TEST_F(CheckpointFiles, SaysWhatIsWrongWithThePath) {
  EXPECT_THAT(error_of(folder_ / "absent"), HasSubstr("no such file or folder"));
  EXPECT_THAT(error_of(folder_), HasSubstr("no model here: expected config.json"));
  write("notes.txt", "hello");
  EXPECT_THAT(error_of(folder_ / "notes.txt"), HasSubstr("neither a GGUF file nor"));
  write("empty.gguf", "");
  EXPECT_THAT(error_of(folder_ / "empty.gguf"), HasSubstr("the file is empty (0 bytes)"));
  write("a.gguf", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n");
  EXPECT_THAT(error_of(folder_ / "a.gguf"), HasSubstr("Git LFS pointer"));
  write("b.gguf", "something else");
  EXPECT_THAT(error_of(folder_ / "b.gguf"), HasSubstr("not a GGUF file"));
}

TEST_F(CheckpointFiles, NamesWhatAFolderLacks) {
  write("model.safetensors", "x");
  EXPECT_THAT(error_of(folder_), HasSubstr("no model here"));
  EXPECT_THAT(error_of(folder_ / "model.safetensors"), HasSubstr("there is no config.json"));
  fs::remove(folder_ / "model.safetensors");
  copy_configs("e2b");
  EXPECT_THAT(error_of(folder_), HasSubstr("has neither model.safetensors nor"));
  write("model.safetensors", "version https://git-lfs.github.com/spec/v1\n");
  EXPECT_THAT(error_of(folder_), HasSubstr("model.safetensors: this is a Git LFS pointer"));
  write("config.json", "");
  EXPECT_THAT(error_of(folder_), HasSubstr("config.json: the file is empty"));
}

TEST_F(CheckpointFiles, CountsTheBytesThatATruncatedFileLacks) {
  fs::copy_file(golden("e2b") / "e2b.gguf", folder_ / "a.gguf");
  const auto source = gguf::File::open(golden("e2b") / "e2b.gguf");
  const auto last = source.tensors().back().data;
  const auto whole = source.parts()[0].bytes();
  const auto used = static_cast<std::uintmax_t>(last.data() + last.size() - whole.data());
  fs::resize_file(folder_ / "a.gguf", used - 9);
  EXPECT_THAT(error_of(folder_ / "a.gguf"),
              HasSubstr("9 bytes are missing, the download is incomplete"));

  copy_folder("e2b", [](StoredTensors&) {});
  fs::resize_file(folder_ / "model.safetensors", fs::file_size(folder_ / "model.safetensors") - 5);
  EXPECT_THAT(error_of(folder_),
              AllOf(HasSubstr("model.safetensors: "), HasSubstr("5 bytes are missing")));
}

TEST_F(CheckpointFiles, ListsAllMissingAndMismatchedTensorsOfAGguf) {
  const fs::path path = copy_gguf("e2b",
                                  [](std::string_view name) {
                                    return name == "blk.0.attn_q.weight" ||
                                           name == "output_norm.weight" ||
                                           name == "blk.3.post_norm.weight";
                                  },
                                  {{"output_norm.weight", {1, 2, 3}}});
  EXPECT_THAT(error_of(path),
              AllOf(HasSubstr("3 problems"),
                    HasSubstr("tensor 'blk.0.attn_q.weight' is missing (expected [64, 32])"),
                    HasSubstr("tensor 'blk.3.post_norm.weight' is missing"),
                    HasSubstr("tensor 'output_norm.weight': expected [32], found [3]")));
}

TEST_F(CheckpointFiles, CutsALongList) {
  const fs::path path =
      copy_gguf("e2b", [](std::string_view name) { return name.find("norm") != name.npos; });
  EXPECT_THAT(error_of(path), HasSubstr("more"));
}

TEST_F(CheckpointFiles, NamesTheTypeThatCannotBeDecoded) {
  const auto source = gguf::File::open(golden("e2b") / "e2b.gguf");
  {
    gguf::Writer writer(folder_ / "a.gguf");
    for (const auto& [key, value] : source.metadata().values()) writer.set_value(key, value);
    // As bytes: i8, a type that has no decoder here.
    for (const auto& tensor : source.tensors()) {
      const bool change = tensor.name.find("ffn_up") != tensor.name.npos;
      writer.add_tensor(tensor.name, change ? 24 : tensor.ggml_type, tensor.shape);
    }
    for (const auto& tensor : source.tensors()) {
      const bool change = tensor.name.find("ffn_up") != tensor.name.npos;
      writer.write(change ? tensor.data.first(tensor.data.size() / 4) : tensor.data);
    }
    writer.finish();
  }
  EXPECT_THAT(error_of(folder_ / "a.gguf"),
              HasSubstr("6 tensor(s) have type i8, which is not supported (the first is "
                        "'blk.0.ffn_up.weight')"));
}

TEST_F(CheckpointFiles, CountsWhatItDoesNotUse) {
  const Checkpoint checkpoint = Checkpoint::open(
      copy_gguf("e2b", kNone, {{"blk.4.extra", {1}}, {"v.blk.0.ln1.weight", {1}}}));
  EXPECT_EQ(checkpoint.unused().vision, 1U);
  EXPECT_THAT(checkpoint.unused().unknown, ElementsAre("blk.4.extra"));
  EXPECT_EQ(checkpoint.unused().audio, 0U);
}

TEST_F(CheckpointFiles, SkipsDeadKeysAndValues) {
  copy_folder("e2b", [](StoredTensors& tensors) {
    for (const char* name : {"k_proj", "v_proj", "k_norm"}) {
      tensors[fmt::format("model.language_model.layers.5.self_attn.{}.weight", name)] = {
          "F32", {1}, bytes_of({0.0F})};
    }
  });
  const Checkpoint checkpoint = Checkpoint::open(folder_);
  EXPECT_EQ(checkpoint.unused().dead_kv,
            Checkpoint::open(golden("e2b")).unused().dead_kv == 0 ? 3U : 6U);
  EXPECT_EQ(checkpoint.find("layers.5.attention.k_proj"), nullptr);
}

TEST_F(CheckpointFiles, AppliesTheScaleBesideAGgufMatrixButNotTensorsOfTheModel) {
  const Checkpoint plain = Checkpoint::open(golden("26b-a4b") / "26b-a4b.gguf");
  const auto n_experts = static_cast<std::size_t>(plain.config().experts->n_experts);
  std::vector<float> expert_scales(n_experts, 1.0F);
  expert_scales[1] = 4.0F;
  const bool fused = plain.find("layers.0.experts.gate_up_proj") != nullptr;
  const Checkpoint scaled = Checkpoint::open(copy_gguf(
      "26b-a4b", kNone,
      {{"blk.0.attn_q.scale", {2.0F}},
       {fused ? "blk.0.ffn_gate_up_exps.scale" : "blk.0.ffn_gate_exps.scale", expert_scales}}));
  EXPECT_TRUE(scaled.unused().unknown.empty());
  EXPECT_EQ(scaled.get("layers.0.attention.q_proj").scales.tensor_scale, 2.0F);
  const std::string experts =
      fused ? "layers.0.experts.gate_up_proj" : "layers.0.experts.gate_proj";
  const std::int64_t rows = plain.get(experts).shape[1];
  for (const std::int64_t expert : {0, 1, 2}) {
    auto expected = row_of(plain.get(experts), expert * rows + 3);
    for (float& value : expected) value *= expert == 1 ? 4.0F : 1.0F;
    EXPECT_EQ(row_of(scaled.get(experts), expert * rows + 3), expected) << expert;
  }
  // These two have the same kind of name and are weights of the model.
  EXPECT_EQ(scaled.get("layers.0.router.proj").scales.tensor_scale, 1.0F);
  EXPECT_TRUE(scaled.get("layers.0.experts.down_proj").scales.row_scales.empty());
  EXPECT_NE(scaled.find("layers.0.router.per_expert_scale"), nullptr);
}

TEST_F(CheckpointFiles, RefusesScalesThatAreNone) {
  EXPECT_THAT(error_of(copy_gguf("e2b", kNone, {{"blk.0.attn_q.scale", {1.0F, 2.0F}}})),
              HasSubstr("tensor 'blk.0.attn_q.scale': expected f32 [1], found f32 [2]"));
  EXPECT_THAT(error_of(copy_gguf("e2b", kNone, {{"blk.0.attn_q.scale", {INFINITY}}})),
              HasSubstr("inf is no scale"));
}

TEST_F(CheckpointFiles, NeedsTheScalesOfQuantizedFolders) {
  copy_folder("e4b-nvfp4", [](StoredTensors& tensors) {
    tensors.erase("model.layers.0.mlp.up_proj.weight_scale");
    tensors.erase("model.layers.1.mlp.up_proj.weight_global_scale");
    tensors["model.layers.2.mlp.up_proj.weight_global_scale"].data = bytes_of({0.0F});
    tensors["model.layers.3.mlp.up_proj.weight_scale"].type = "U8";
    tensors.erase("model.layers.4.mlp.up_proj.weight_packed");
  });
  EXPECT_THAT(error_of(folder_),
              AllOf(HasSubstr("needs 'model.layers.0.mlp.up_proj.weight_scale', which is missing"),
                    HasSubstr("needs 'model.layers.1.mlp.up_proj.weight_global_scale'"),
                    HasSubstr("expected a positive number, found 0"),
                    HasSubstr("'model.layers.3.mlp.up_proj.weight_scale': expected F8_E4M3"),
                    HasSubstr("layers.4.mlp.up_proj.weight' is missing")));
}

TEST_F(CheckpointFiles, ReadsModeloptNvfp4) {
  copy_folder("e4b-nvfp4", [](StoredTensors& tensors) {
    StoredTensors renamed;
    for (auto& [name, tensor] : tensors) {
      const auto base = name.substr(0, name.rfind(".weight") + 7);
      if (name.ends_with("_packed")) {
        renamed[base] = tensor;
        renamed[base.substr(0, base.size() - 7) + ".input_scale"] = {"F32", {}, bytes_of({1.0F})};
      } else if (name.ends_with("_global_scale")) {
        float divisor = 0;
        std::memcpy(&divisor, tensor.data.data(), sizeof divisor);
        renamed[base + "_scale_2"] = {"F32", {}, bytes_of({1.0F / divisor})};
      } else {
        renamed[name] = tensor;
      }
    }
    tensors = renamed;
  });
  const Checkpoint other = Checkpoint::open(golden("e4b-nvfp4"));
  const Checkpoint modelopt = Checkpoint::open(folder_);
  EXPECT_TRUE(modelopt.unused().unknown.empty());
  for (const auto& spec : gemma4::tensor_table(modelopt.config())) {
    const HostTensor& tensor = modelopt.get(spec.name);
    EXPECT_EQ(row_of(tensor, tensor.rows() - 1), row_of(other.get(spec.name), tensor.rows() - 1))
        << spec.name;
  }
}

TEST_F(CheckpointFiles, ReadsFp8ScalesOfEveryShape) {
  const std::string name = "model.layers.0.mlp.up_proj.weight";
  const auto with_scale = [&](Stored scale) {
    copy_folder("e4b-fp8",
                [&](StoredTensors& tensors) { tensors[name + "_scale"] = std::move(scale); });
  };
  const std::string ours = "layers.0.ffn.up_proj";
  with_scale({"F32", {}, bytes_of({0.5F})});
  EXPECT_EQ(Checkpoint::open(folder_).get(ours).scales.tensor_scale, 0.5F);
  with_scale({"F32", {1}, bytes_of({0.25F})});
  EXPECT_EQ(Checkpoint::open(folder_).get(ours).scales.tensor_scale, 0.25F);
  with_scale({"F32", {64}, bytes_of(std::vector<float>(64, 2.0F))});
  EXPECT_EQ(Checkpoint::open(folder_).get(ours).scales.row_scales, std::vector<float>(64, 2.0F));
  with_scale({"F32", {64, 1}, bytes_of(std::vector<float>(64, 3.0F))});
  EXPECT_EQ(Checkpoint::open(folder_).get(ours).scales.row_scales, std::vector<float>(64, 3.0F));
  with_scale({"F32", {8, 8}, bytes_of(std::vector<float>(64, 3.0F))});
  EXPECT_THAT(error_of(folder_), HasSubstr("expected [1], [64] or [64, 1], found F32 [8, 8]"));
  with_scale({"F32", {1}, bytes_of({NAN})});
  EXPECT_THAT(error_of(folder_), HasSubstr("nan is no scale"));
  copy_folder("e4b-fp8", [&](StoredTensors& tensors) { tensors.erase(name + "_scale"); });
  EXPECT_THAT(error_of(folder_), HasSubstr("needs 'model.layers.0.mlp.up_proj.weight_scale'"));
}

TEST_F(CheckpointFiles, RefusesExpertsInTensorsOfTheirOwn) {
  copy_folder("26b-a4b", [](StoredTensors& tensors) {
    const std::string experts = prefix_of(tensors) + "layers.0.experts.";
    ASSERT_EQ(tensors.erase(experts + "gate_up_proj"), 1U);
    tensors[experts + "0.gate_proj.weight"] = {"F32", {1}, bytes_of({0.0F})};
  });
  EXPECT_THAT(error_of(folder_), HasSubstr("experts in tensors of their own are not supported"));
}

TEST_F(CheckpointFiles, TakesTheHeadOfItsOwnWhereTheConfigurationSaysSo) {
  copy_folder("31b", [](StoredTensors& tensors) {
    tensors["lm_head.weight"] = tensors.at(prefix_of(tensors) + "embed_tokens.weight");
  });
  EXPECT_EQ(Checkpoint::open(folder_).find("head"), nullptr) << "tied: the copy is ignored";
  std::ifstream in(folder_ / "config.json");
  Json config = json_from(in);
  config["tie_word_embeddings"] = false;
  if (config.contains("text_config")) config["text_config"]["tie_word_embeddings"] = false;
  write("config.json", to_text(config));
  EXPECT_NE(Checkpoint::open(folder_).find("head"), nullptr);
}

TEST_F(CheckpointFiles, ReadsGenerationDefaultsFromEitherFile) {
  for (const char* file : {"e2b", "e2b/e2b.gguf"}) {
    const GenerationDefaults defaults = Checkpoint::open(golden(file)).generation();
    EXPECT_EQ(defaults.temperature, 1.0) << file;
    EXPECT_EQ(defaults.top_k, 64) << file;
    EXPECT_NEAR(defaults.top_p.value(), 0.95, 1e-6) << file;
    EXPECT_FALSE(defaults.stop_tokens.empty()) << file;
  }
}

TEST_F(CheckpointFiles, FallsBackToTheStopTokensOfTheConfiguration) {
  copy_folder("e2b", [](StoredTensors&) {});
  fs::remove(folder_ / "generation_config.json");
  EXPECT_THAT(Checkpoint::open(folder_).generation().stop_tokens, ElementsAre(1, 106));
}

TEST_F(CheckpointFiles, NamesTheFieldOfABrokenGenerationConfigTogetherWithTheRest) {
  copy_folder("e2b",
              [](StoredTensors& tensors) { tensors.erase("model.language_model.norm.weight"); });
  write("generation_config.json", R"({"top_k":"many"})");
  EXPECT_THAT(error_of(folder_),
              AllOf(HasSubstr("generation_config.json: 'top_k': expected a whole number"),
                    HasSubstr("tensor 'model.language_model.norm.weight' is missing")));
}

TEST_F(CheckpointFiles, SaysWhereTheTokenizerIs) {
  copy_folder("e2b", [](StoredTensors&) {});
  EXPECT_EQ(Checkpoint::open(folder_).tokenizer_source(), TokenizerSource::none);
  write("tokenizer.json", "{}");
  const Checkpoint folder = Checkpoint::open(folder_);
  EXPECT_EQ(folder.tokenizer_source(), TokenizerSource::tokenizer_json);
  EXPECT_EQ(folder.tokenizer_json(), folder_ / "tokenizer.json");
  const Checkpoint gguf = Checkpoint::open(golden("e2b") / "e2b.gguf");
  EXPECT_EQ(gguf.tokenizer_source(), TokenizerSource::gguf);
  EXPECT_TRUE(gguf.tokenizer_json().empty());
}

}  // namespace
}  // namespace pleiad
