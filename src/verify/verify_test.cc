#include "verify/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "base/testing/paths.h"
#include "formats/gguf/reader.h"
#include "formats/safetensors/file.h"

namespace pleiad::verify {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const fs::path kModels = fs::path(golden_path()) / "models";

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// A tiny model whose bytes a test may change.
class VerifyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("pleiad_verify_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void take_folder(const std::string& model) {
    fs::copy_file(kModels / model / "config.json", folder_ / "config.json");
    file_ = folder_ / "model.safetensors";
    bytes_ = text_of(kModels / model / "model.safetensors");
  }
  void take_gguf(const std::string& model) {
    file_ = folder_ / "model.gguf";
    bytes_ = text_of(kModels / model / (model + ".gguf"));
  }

  /// The bytes of a tensor, to be changed.
  std::span<char> data(const std::string& name) {
    const auto all = std::as_bytes(std::span(bytes_));
    std::span<const std::byte> found;
    if (file_.extension() == ".gguf") {
      found = gguf::File::from_bytes(all, "").find_tensor(name)->data;
    } else {
      found = safetensors::File::from_bytes(all, "").find_tensor(name)->data;
    }
    return {bytes_.data() + (found.data() - all.data()), found.size()};
  }
  template <typename T>
  void put(const std::string& name, std::size_t index, T value) {
    std::memcpy(data(name).data() + index * sizeof value, &value, sizeof value);
  }

  Report check() {
    std::ofstream(file_, std::ios::binary) << bytes_;
    Options options;
    options.n_threads = 2;
    return check_model(file_.parent_path(), options);
  }

  static std::vector<Finding> wrong(const Report& report) {
    std::vector<Finding> found;
    for (const Finding& finding : report.findings) {
      if (finding.severity == Severity::wrong) found.push_back(finding);
    }
    return found;
  }

  fs::path folder_;
  fs::path file_;
  std::string bytes_;
};

TEST_F(VerifyTest, NothingIsWrongWithGoodModels) {
  for (const std::string model :
       {"e2b", "e4b", "12b", "26b-a4b", "31b", "e4b-nvfp4", "e4b-fp8", "e2b/e2b.gguf"}) {
    const Report report = check_model(kModels / model, {});
    EXPECT_TRUE(report.good()) << model;
    EXPECT_GT(report.n_tensors, 50U) << model;
    for (const Finding& finding : report.findings) {
      EXPECT_TRUE(finding.severity == Severity::suspicious && finding.kind != Kind::far_out &&
                  finding.kind != Kind::unlike_layers)
          << finding.tensor << ": " << finding.text;
    }
  }
}

TEST_F(VerifyTest, FindsNanAndInfinityInAFolder) {
  take_folder("e4b-nvfp4");
  put<std::uint16_t>("model.norm.weight", 7, 0x7FC0);
  put<std::uint16_t>("model.embed_tokens.weight", 32 * 5 + 3, 0xFF80);
  const auto found = wrong(check());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].kind, Kind::infinite);
  EXPECT_EQ(found[0].tensor, "model.embed_tokens.weight");
  EXPECT_EQ(found[0].ours, "embedding");
  EXPECT_EQ(found[0].first, (Place{5, 3}));
  EXPECT_EQ(found[1].kind, Kind::nan);
  EXPECT_EQ(found[1].first, (Place{0, 7}));
}

TEST_F(VerifyTest, FindsScalesThatCanBeNone) {
  take_folder("e4b-nvfp4");
  put<std::uint8_t>("model.layers.1.mlp.gate_proj.weight_scale", 2, 0x7F);
  put<std::uint8_t>("model.layers.2.mlp.gate_proj.weight_scale", 2, 0x80 | 0x40);
  put<float>("model.layers.3.mlp.gate_proj.weight_global_scale", 0, 0.0F);
  const Report report = check();
  const auto found = wrong(report);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].kind, Kind::cannot_load) << "a divisor of zero";
  EXPECT_THAT(found[1].text, HasSubstr("NaN"));
  EXPECT_EQ(found[1].first, (Place{1, 0})) << "two scales a row";
  EXPECT_THAT(found[2].text, HasSubstr("negative"));
  EXPECT_THAT(found[3].text, HasSubstr("zero"));
  EXPECT_EQ(found[3].ours, "layers.3.ffn.gate_proj");
}

TEST_F(VerifyTest, FindsRowsAndTensorsOfZeros) {
  take_gguf("e2b");
  const auto dead = data("blk.0.ffn_up.weight");
  std::ranges::fill(dead, '\0');
  const auto matrix = data("blk.1.ffn_up.weight");
  std::ranges::fill(matrix.first(32 * sizeof(float)), '\0');
  const auto table = data("per_layer_token_embd.weight");
  std::ranges::fill(table.first(table.size() / 2), '\0');
  const Report report = check();
  const auto found = wrong(report);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].kind, Kind::zero_tensor);
  EXPECT_EQ(found[0].ours, "layers.0.ffn.up_proj");
  EXPECT_EQ(found[1].kind, Kind::zero_rows);
  EXPECT_EQ(found[1].count, 1U);
  const auto suspicious =
      std::ranges::find(report.findings, "per_layer_token_embd.weight", &Finding::tensor);
  ASSERT_NE(suspicious, report.findings.end());
  EXPECT_EQ(suspicious->kind, Kind::zero_rows);
  EXPECT_EQ(suspicious->count, 136U);
}

TEST_F(VerifyTest, FindsScalesThatLeaveCodesUnused) {
  take_folder("e4b-fp8");
  for (char& code : data("model.layers.0.mlp.down_proj.weight")) code &= '\x8F' | 0x40;
  const Report report = check();
  EXPECT_TRUE(report.good());
  const auto found = std::ranges::find(report.findings, Kind::unused_codes, &Finding::kind);
  ASSERT_NE(found, report.findings.end());
  EXPECT_EQ(found->tensor, "model.layers.0.mlp.down_proj.weight");
}

TEST_F(VerifyTest, FindsAScaleOfABlockThatIsFarOut) {
  const fs::path demo = source_path("models/demo/pleiad-demo.gguf");
  file_ = folder_ / "model.gguf";
  bytes_ = text_of(demo);
  const Report good = check();
  for (const Finding& finding : good.findings) {
    EXPECT_TRUE(finding.kind != Kind::far_out && finding.kind != Kind::unlike_layers)
        << finding.tensor << ": " << finding.text;
  }
  const auto values = data("blk.1.ffn_up.weight");
  constexpr std::uint16_t k60000 = 0x7B53;  // as F16: of the third block of 32
  std::memcpy(values.data() + 2 * 34, &k60000, sizeof k60000);
  const auto found = wrong(check());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, Kind::far_out);
  EXPECT_EQ(found[0].ours, "layers.1.ffn.up_proj");
  EXPECT_EQ(found[0].first, (Place{0, -1}));
}

TEST_F(VerifyTest, FindsAMatrixThatIsUnlikeThoseOfOtherLayers) {
  for (const float factor : {1e4F, 1e-4F, 30.0F}) {
    take_gguf("e2b");
    const auto matrix = data("blk.1.ffn_up.weight");
    for (std::size_t at = 0; at < matrix.size(); at += sizeof(float)) {
      float value = 0;
      std::memcpy(&value, matrix.data() + at, sizeof value);
      value *= factor;
      std::memcpy(matrix.data() + at, &value, sizeof value);
    }
    const Report report = check();
    const auto found = std::ranges::find(report.findings, Kind::unlike_layers, &Finding::kind);
    ASSERT_EQ(found != report.findings.end(), factor != 30.0F) << factor;
    if (factor == 30.0F) continue;
    EXPECT_EQ(found->ours, "layers.1.ffn.up_proj");
    EXPECT_EQ(found->severity, factor > 1 ? Severity::wrong : Severity::suspicious);
  }
}

TEST_F(VerifyTest, FindsScalesAndValuesFarBeyondTheOthers) {
  take_folder("e4b-nvfp4");
  put<float>("model.layers.1.mlp.up_proj.weight_global_scale", 0, 1e12F);
  put<std::uint16_t>("model.layers.0.input_layernorm.weight", 5, 0x7E00);  // BF16: 4e37
  const auto found = wrong(check());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].kind, Kind::far_out);
  EXPECT_EQ(found[0].first, (Place{0, 5}));
  EXPECT_EQ(found[1].kind, Kind::unlike_layers);
  EXPECT_EQ(found[1].ours, "layers.1.ffn.up_proj");
}

TEST_F(VerifyTest, HeavyTailsAreNoMistake) {
  take_gguf("e2b");
  // A single weight, a few hundred times as large as rows are, and a norm that varies much.
  put<float>("blk.1.ffn_down.weight", 77, 100.0F);
  put<float>("blk.1.attn_norm.weight", 3, 3000.0F);
  EXPECT_TRUE(check().good());
}

TEST_F(VerifyTest, AMissingTensorIsWrongAndTheRestIsLookedAt) {
  take_gguf("e2b");
  const std::string name = "blk.0.ffn_up.weight";
  bytes_.replace(bytes_.find(name), name.size(), "blk.0.ffn_qp.weight");
  put<std::uint32_t>("output_norm.weight", 0, 0x7FC00000);
  const auto found = wrong(check());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_THAT(found[0].text, HasSubstr("is missing"));
  EXPECT_EQ(found[1].kind, Kind::nan);
}

TEST_F(VerifyTest, WhatProgressThrowsEndsTheWork) {
  struct Stop {};
  Options options;
  options.progress = [](std::uint64_t, std::uint64_t) { throw Stop(); };
  EXPECT_THROW(check_model(kModels / "e2b", options), Stop);
}

TEST_F(VerifyTest, AFolderWithoutAModelIsAnError) {
  EXPECT_THROW(check_model(folder_, {}), LoadError);
}

}  // namespace
}  // namespace pleiad::verify
