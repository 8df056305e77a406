#include "convert/write_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/json.h"
#include "base/testing/paths.h"
#include "base/testing/test_folder.h"
#include "convert/testing/relative_error.h"
#include "convert/write_gguf.h"
#include "formats/safetensors/folder.h"
#include "model/stored_tensors.h"
#include "model/testing/same_model.h"
#include "tensor/decode.h"

namespace pleiad::convert {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing_support::golden;
using testing_support::relative_error;
using testing_support::values_of;

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

class WriteFolder : public ::testing::Test {
 protected:
  static WriteOptions options_of(FileType type, int n_threads = 2) {
    WriteOptions options;
    options.mix.type = type;
    options.rounding = quantize::Rounding::nearest;
    options.n_threads = n_threads;
    return options;
  }

  fs::path write(const fs::path& source, FileType type, const std::string& name = "out") const {
    write_folder(Checkpoint::open(source), root_ / name, options_of(type));
    return root_ / name;
  }

  fs::path dequantized(const fs::path& source, const std::string& name = "plain") const {
    WriteOptions options = options_of(FileType::as_is);
    options.dequantize = true;
    write_folder(Checkpoint::open(source), root_ / name, options);
    return root_ / name;
  }

  std::string message_of(const fs::path& source, FileType type) const {
    try {
      write(source, type);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(root_), fs::directory_iterator()));
  }

  TestFolder root_;
};

/// All tensors of `expected` are in `found`, byte for byte.
void expect_same_bytes(const fs::path& found, const fs::path& expected) {
  const auto a = safetensors::Folder::open(found);
  const auto b = safetensors::Folder::open(expected);
  std::size_t count = 0;
  for (const safetensors::File& file : b.files()) {
    for (const safetensors::TensorInfo& tensor : file.tensors()) {
      const safetensors::TensorInfo* same = a.find_tensor(tensor.name);
      ASSERT_NE(same, nullptr) << tensor.name;
      EXPECT_EQ(same->type, tensor.type) << tensor.name;
      EXPECT_EQ(same->shape, tensor.shape) << tensor.name;
      EXPECT_TRUE(std::ranges::equal(same->data, tensor.data)) << tensor.name;
      ++count;
    }
  }
  EXPECT_GT(count, 50U);
}

TEST_F(WriteFolder, ThroughGgufAndBackEveryByteIsTheSame) {
  for (const std::string model : {"e4b", "31b", "12b", "26b-a4b"}) {
    write_gguf(Checkpoint::open(golden(model)), root_ / (model + ".gguf"),
               options_of(FileType::as_is));
    const fs::path back = write(root_ / (model + ".gguf"), FileType::as_is, model);
    const Checkpoint a = Checkpoint::open(back);
    const Checkpoint b = Checkpoint::open(golden(model));
    EXPECT_EQ(a.config(), b.config()) << model;
    b.for_each([&](std::string_view name, const HostTensor& tensor) {
      ASSERT_NE(a.find(name), nullptr) << name;
      EXPECT_EQ(a.get(name).dtype, tensor.dtype) << name;
      EXPECT_TRUE(std::ranges::equal(a.get(name).data, tensor.data)) << name;
    });
  }
  expect_same_bytes(root_ / "e4b", golden("e4b"));
}

TEST_F(WriteFolder, ThroughGgufAndBackNormsAreBf16Again) {
  const fs::path plain = dequantized(golden("e4b-nvfp4"));
  const fs::path file = root_ / "plain.gguf";
  write_gguf(Checkpoint::open(plain), file, options_of(FileType::as_is));
  EXPECT_EQ(Checkpoint::open(file).get("final_norm").dtype, DType::f32);
  expect_same_bytes(write(file, FileType::as_is), plain);
}

TEST_F(WriteFolder, Nvfp4OfAGgufFileKeepsItsCodes) {
  WriteOptions options = options_of(FileType::nvfp4);
  for (const char* keep : {"head=bf16", "ple=bf16"}) add_keep(options.mix, keep);
  // A copy, beside which stands no tower.
  const fs::path demo = root_ / "demo.gguf";
  fs::copy_file(fs::path(source_path()) / "models/demo/pleiad-demo.gguf", demo);
  const fs::path file = root_ / "nvfp4.gguf";
  write_gguf(Checkpoint::open(demo), file, options);
  const fs::path folder = write(file, FileType::as_is);
  const Checkpoint source = Checkpoint::open(file);
  const Checkpoint found = Checkpoint::open(folder);
  int n_nvfp4 = 0;
  source.for_each([&](std::string_view name, const HostTensor& tensor) {
    const HostTensor& same = found.get(name);
    if (tensor.dtype == DType::nvfp4) {
      ++n_nvfp4;
      EXPECT_EQ(same.dtype, DType::nvfp4_packed) << name;
      // The factor became a divisor, whose inverse may be off by the last bit.
      EXPECT_LT(relative_error(values_of(same), values_of(tensor)), 2e-7) << name;
    } else {
      EXPECT_EQ(values_of(same), values_of(tensor)) << name;
    }
  });
  EXPECT_GT(n_nvfp4, 30);
  const Json config = parse_json(text_of(folder / "config.json"), "")["quantization_config"];
  EXPECT_EQ(config["format"], "nvfp4-pack-quantized");
  EXPECT_TRUE(std::ranges::find(config["ignore"], "model.per_layer_model_projection") !=
              config["ignore"].end());
}

TEST_F(WriteFolder, QuantizesEveryLinearModuleAndNothingElse) {
  const Checkpoint source = Checkpoint::open(golden("e4b"));
  const Checkpoint found = Checkpoint::open(write(golden("e4b"), FileType::nvfp4a16));
  int n_quantized = 0;
  source.for_each([&](std::string_view name, const HostTensor& tensor) {
    const HostTensor& written = found.get(name);
    const bool linear = tensor.shape.size() == 2 && !name.ends_with("embedding");
    if (!linear) {
      EXPECT_EQ(values_of(written), values_of(tensor)) << name;
      return;
    }
    ++n_quantized;
    EXPECT_EQ(written.dtype, DType::nvfp4_packed) << name;
    EXPECT_LT(relative_error(values_of(written), values_of(tensor)), 0.15) << name;
    EXPECT_EQ(std::exp2(std::round(std::log2(written.scales.tensor_scale))),
              written.scales.tensor_scale)
        << name << ": a power of two";
  });
  // q, o, gate, up, down, gate and projection of 6 layers, k and v of 4, and one projection.
  EXPECT_EQ(n_quantized, 6 * 7 + 4 * 2 + 1);
  for (const char* layer : {"layers.0.", "layers.3."}) {
    const auto scale = [&](const char* name) {
      return found.get(std::string(layer) + name).scales.tensor_scale;
    };
    EXPECT_EQ(scale("attention.q_proj"), scale("attention.k_proj"));
    EXPECT_EQ(scale("attention.q_proj"), scale("attention.v_proj"));
    EXPECT_EQ(scale("ffn.gate_proj"), scale("ffn.up_proj"));
  }
}

TEST_F(WriteFolder, TellsReadersHowWeightsAreStored) {
  const auto config_of = [&](FileType type) {
    const fs::path folder = write(golden("e4b"), type, std::string(name(type)));
    return parse_json(text_of(folder / "config.json"), "")["quantization_config"];
  };
  const Json nvfp4 = config_of(FileType::nvfp4a16);
  EXPECT_EQ(nvfp4["quant_method"], "compressed-tensors");
  EXPECT_EQ(nvfp4["format"], "nvfp4-pack-quantized");
  EXPECT_EQ(nvfp4["ignore"], Json::array({"lm_head"}));
  EXPECT_EQ(nvfp4["config_groups"]["group_0"]["weights"]["strategy"], "tensor_group");
  EXPECT_EQ(nvfp4["config_groups"]["group_0"]["input_activations"], nullptr);
  const Json fp8 = config_of(FileType::fp8);
  EXPECT_EQ(fp8["format"], "float-quantized");
  EXPECT_EQ(fp8["config_groups"]["group_0"]["weights"]["strategy"], "tensor");
  EXPECT_EQ(fp8["config_groups"]["group_0"]["input_activations"]["dynamic"], true);
  EXPECT_EQ(config_of(FileType::fp8_dynamic)["config_groups"]["group_0"]["weights"]["strategy"],
            "channel");
}

TEST_F(WriteFolder, Fp8HasAScaleForATensorOrForEachRow) {
  const Checkpoint source = Checkpoint::open(golden("e4b"));
  const Checkpoint by_tensor = Checkpoint::open(write(golden("e4b"), FileType::fp8, "tensor"));
  const Checkpoint by_row = Checkpoint::open(write(golden("e4b"), FileType::fp8_dynamic, "row"));
  const std::string name = "layers.1.ffn.down_proj";
  EXPECT_TRUE(by_tensor.get(name).scales.row_scales.empty());
  EXPECT_EQ(by_row.get(name).scales.row_scales.size(), 32U);
  for (const Checkpoint* found : {&by_tensor, &by_row}) {
    EXPECT_EQ(found->get(name).dtype, DType::f8_e4m3);
    EXPECT_LT(relative_error(values_of(found->get(name)), values_of(source.get(name))), 0.04);
  }
}

TEST_F(WriteFolder, DecodedValuesOfOurFoldersAreExactInBf16) {
  for (const FileType type : {FileType::nvfp4a16, FileType::fp8, FileType::fp8_dynamic}) {
    const std::string label(name(type));
    const fs::path folder = write(golden("e4b"), type, label);
    const Checkpoint plain = Checkpoint::open(dequantized(folder, label + "-plain"));
    const Checkpoint quantized = Checkpoint::open(folder);
    quantized.for_each([&](std::string_view tensor, const HostTensor& stored) {
      EXPECT_EQ(values_of(plain.get(tensor)), values_of(stored)) << label << tensor;
    });
    EXPECT_EQ(plain.get("layers.0.ffn.up_proj").dtype, DType::bf16);
    EXPECT_FALSE(parse_json(text_of(root_ / (label + "-plain") / "config.json"), "")
                     .contains("quantization_config"));
  }
}

TEST_F(WriteFolder, CarriesOtherPartsAndFilesAlong) {
  const fs::path source = root_ / "source";
  fs::copy(golden("e2b"), source);
  std::ofstream(source / "tokenizer_config.json") << "{}";
  std::ofstream(source / "chat_template.jinja") << "{{ x }}";
  std::ofstream(source / "README.md") << "another model's card";
  std::ofstream(source / "hf_quant_config.json") << "{}";
  const fs::path out = write(source, FileType::fp8);
  EXPECT_EQ(text_of(out / "chat_template.jinja"), "{{ x }}");
  EXPECT_TRUE(fs::exists(out / "tokenizer_config.json"));
  EXPECT_TRUE(fs::exists(out / "generation_config.json"));
  EXPECT_FALSE(fs::exists(out / "README.md"));
  EXPECT_FALSE(fs::exists(out / "hf_quant_config.json"));
  EXPECT_GT(Checkpoint::open(source).unused().vision, 0U);
  EXPECT_EQ(Checkpoint::open(out).unused().vision, Checkpoint::open(source).unused().vision);
  expect_same_bytes(write(source, FileType::as_is, "same"), source);
}

TEST_F(WriteFolder, KeysAndValuesThatNoLayerReadsAreQuantizedWithTheQueries) {
  const auto source = safetensors::Folder::open(golden("e2b"));
  const auto out = safetensors::Folder::open(write(golden("e2b"), FileType::nvfp4a16));
  int n_dead = 0;
  for (const safetensors::TensorInfo& tensor : source.files()[0].tensors()) {
    const std::string_view end = "self_attn.k_proj.weight";
    if (!tensor.name.ends_with(end) || tensor.name.find("language_model") == std::string::npos) {
      continue;
    }
    ++n_dead;
    const std::string stem = tensor.name.substr(0, tensor.name.size() - end.size());
    const auto* key = out.find_tensor(tensor.name + "_global_scale");
    const auto* query = out.find_tensor(stem + "self_attn.q_proj.weight_global_scale");
    ASSERT_TRUE(key != nullptr && query != nullptr) << tensor.name;
    EXPECT_TRUE(std::ranges::equal(key->data, query->data)) << tensor.name;
    EXPECT_EQ(out.find_tensor(tensor.name), nullptr);
    EXPECT_NE(out.find_tensor(stem + "self_attn.k_norm.weight"), nullptr);
  }
  EXPECT_EQ(n_dead, Checkpoint::open(golden("e2b")).config().n_layers());
}

/// Names of all tensors of key and value projections that no layer reads.
std::set<std::string> dead_projections(const fs::path& folder) {
  std::set<std::string> names;
  const StoredTensors stored = StoredTensors::open(folder);
  for (const StoredTensor& tensor : stored.tensors()) {
    const bool norm = tensor.file_name.find("norm") != std::string::npos;
    if (tensor.role == TensorRole::dead_kv && !norm) names.insert(tensor.file_name);
  }
  return names;
}

TEST_F(WriteFolder, QuantizedKeysAndValuesThatNoLayerReadsStayOrGoWithTheirScales) {
  for (const FileType type : {FileType::nvfp4a16, FileType::fp8, FileType::fp8_dynamic}) {
    const std::string label(name(type));
    const fs::path source = write(golden("e2b"), type, label);
    const auto all = dead_projections(source);
    ASSERT_GE(all.size(), dead_projections(golden("e2b")).size() * 2) << label;
    EXPECT_EQ(dead_projections(write(source, FileType::as_is, label + "-same")), all) << label;
    EXPECT_TRUE(dead_projections(dequantized(source, label + "-plain")).empty()) << label;
    for (const FileType again : {FileType::nvfp4a16, FileType::fp8}) {
      const std::string out = label + "-" + std::string(name(again));
      const WriteReport report =
          write_folder(Checkpoint::open(source), root_ / out, options_of(again));
      EXPECT_TRUE(dead_projections(root_ / out).empty()) << out;
      EXPECT_EQ(report.left_out.dead_kv, all.size()) << out;
    }
  }
}

TEST_F(WriteFolder, TellsReadersThatExpertsStayAsTheyAre) {
  for (const FileType type : {FileType::nvfp4a16, FileType::fp8_dynamic}) {
    const fs::path folder = write(golden("26b-a4b"), type, std::string(name(type)));
    const Json config = parse_json(text_of(folder / "config.json"), "")["quantization_config"];
    const Json& ignore = config["ignore"];
    EXPECT_NE(std::ranges::find(ignore, "re:.*experts.*"), ignore.end()) << to_text(ignore);
    constexpr std::string_view kExperts = "layers.0.experts.down_proj";
    EXPECT_EQ(Checkpoint::open(folder).get(kExperts).dtype,
              Checkpoint::open(golden("26b-a4b")).get(kExperts).dtype);
  }
}

TEST_F(WriteFolder, TheBytesDoNotDependOnTheNumberOfThreads) {
  const Checkpoint source = Checkpoint::open(golden("e4b"));
  for (const int n_threads : {1, 3}) {
    write_folder(source, root_ / std::to_string(n_threads),
                 options_of(FileType::nvfp4a16, n_threads));
  }
  EXPECT_EQ(text_of(root_ / "1/model.safetensors"), text_of(root_ / "3/model.safetensors"));
}

TEST_F(WriteFolder, AnInterruptLeavesNothing) {
  const Checkpoint source = Checkpoint::open(golden("e4b"));
  struct Stop {};
  WriteOptions options = options_of(FileType::fp8);
  options.progress = [](std::uint64_t done, std::uint64_t total) {
    if (done > total / 2) throw Stop();
  };
  EXPECT_THROW(write_folder(source, root_ / "out", options), Stop);
  EXPECT_EQ(entries(), 0U);
}

TEST_F(WriteFolder, ReplacesAModelAndNothingElse) {
  write(golden("e4b"), FileType::fp8);
  write(golden("e4b"), FileType::nvfp4a16);
  EXPECT_EQ(Checkpoint::open(root_ / "out").main_dtype(), DType::nvfp4_packed);
  EXPECT_THAT(message_of(root_ / "out", FileType::fp8), HasSubstr("the model that is read"));
  fs::create_directory(root_ / "out/notes");
  EXPECT_THAT(message_of(golden("e4b"), FileType::fp8), HasSubstr("notes"));
  fs::remove_all(root_ / "out");
  fs::create_directory(root_ / "out");
  std::ofstream(root_ / "out/letter.txt") << "dear";
  EXPECT_THAT(message_of(golden("e4b"), FileType::fp8), HasSubstr("letter.txt"));
  EXPECT_EQ(text_of(root_ / "out/letter.txt"), "dear");
  fs::remove(root_ / "out/letter.txt");
  std::ofstream(root_ / "out/README.md") << "# My thesis";
  EXPECT_THAT(message_of(golden("e4b"), FileType::fp8), HasSubstr("no model in it"));
  std::ofstream(root_ / "out/config.json") << R"({"a": 1})";
  EXPECT_THAT(message_of(golden("e4b"), FileType::fp8), HasSubstr("no Gemma 4 model"));
  std::ofstream(root_ / "out/main.py") << "print()";
  EXPECT_THAT(message_of(golden("e4b"), FileType::fp8), HasSubstr("main.py"));
  EXPECT_EQ(text_of(root_ / "out/README.md"), "# My thesis");
}

TEST_F(WriteFolder, QuantizedGgufIsDecodedOnlyWhenAskedTo) {
  const fs::path file = root_ / "q.gguf";
  write_gguf(Checkpoint::open(golden("e4b")), file, options_of(FileType::q8_0));
  EXPECT_THAT(message_of(file, FileType::as_is), HasSubstr("--dequantize"));
  const Checkpoint plain = Checkpoint::open(dequantized(file));
  const Checkpoint source = Checkpoint::open(file);
  const std::string name = "layers.0.ffn.up_proj";
  EXPECT_EQ(plain.get(name).dtype, DType::bf16);
  EXPECT_LT(relative_error(values_of(plain.get(name)), values_of(source.get(name))), 0.01);
}

}  // namespace
}  // namespace pleiad::convert
