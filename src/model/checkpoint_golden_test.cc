// The tiny models in tests/golden/models: every one opens, and what one family
// stores as GGUF and as safetensors is the same model.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "formats/gguf/reader.h"
#include "model/checkpoint.h"
#include "model/gemma4/tensor_table.h"
#include "model/testing/same_model.h"
#include "tensor/decode.h"

namespace pleiad {
namespace {

namespace fs = std::filesystem;
using testing_support::expect_same_config;
using testing_support::golden;
using testing_support::values_of;

/// "e4b_fp8": test names have no hyphens.
std::string test_name(const ::testing::TestParamInfo<std::string>& model) {
  std::string name = model.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

class GoldenCheckpoint : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenCheckpoint, OpensAndHasEveryTensorOfTheTable) {
  const Checkpoint checkpoint = Checkpoint::open(golden(GetParam()));
  for (const gemma4::TensorSpec& spec : gemma4::tensor_table(checkpoint.config())) {
    EXPECT_EQ(checkpoint.get(spec.name).shape, spec.shape) << spec.name;
  }
  EXPECT_TRUE(checkpoint.unused().unknown.empty()) << checkpoint.unused().unknown[0];
  EXPECT_GT(checkpoint.tensor_bytes(), 1000U);
  EXPECT_FALSE(checkpoint.generation().stop_tokens.empty());
}

INSTANTIATE_TEST_SUITE_P(AllModels, GoldenCheckpoint,
                         ::testing::Values("e2b", "e4b", "12b", "26b-a4b", "31b", "e4b-nvfp4",
                                           "e4b-fp8"),
                         test_name);

class GoldenFamily : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenFamily, IsTheSameModelAsGgufAndAsSafetensors) {
  const Checkpoint folder = Checkpoint::open(golden(GetParam()));
  const Checkpoint gguf = Checkpoint::open(golden(GetParam()) / (GetParam() + ".gguf"));
  EXPECT_EQ(folder.gguf(), nullptr);
  EXPECT_NE(gguf.gguf(), nullptr);
  expect_same_config(folder.config(), gguf.config());
  EXPECT_TRUE(gguf.unused().unknown.empty());
  for (const gemma4::TensorSpec& spec : gemma4::tensor_table(folder.config())) {
    const HostTensor& a = folder.get(spec.name);
    const HostTensor& b = gguf.get(spec.name);
    EXPECT_EQ(a.shape, b.shape) << spec.name;
    EXPECT_EQ(values_of(a), values_of(b)) << spec.name;
  }
}

INSTANTIATE_TEST_SUITE_P(AllFamilies, GoldenFamily,
                         ::testing::Values("e2b", "e4b", "12b", "26b-a4b", "31b"), test_name);

TEST(GoldenQuantized, QuantizedFoldersSayTheirMainType) {
  EXPECT_EQ(Checkpoint::open(golden("e4b-nvfp4")).main_dtype(), DType::nvfp4_packed);
  EXPECT_EQ(Checkpoint::open(golden("e4b-fp8")).main_dtype(), DType::f8_e4m3);
}

TEST(GoldenQuantized, PagesCanBeGivenBackAndAreReadAgain) {
  const Checkpoint checkpoint = Checkpoint::open(golden("e4b-nvfp4"));
  const HostTensor& tensor = checkpoint.get("layers.0.ffn.up_proj");
  const auto before = values_of(tensor);
  checkpoint.advise_random(tensor);
  checkpoint.drop_pages(tensor);
  EXPECT_EQ(values_of(tensor), before);
}

}  // namespace
}  // namespace pleiad
