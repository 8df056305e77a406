// Every stored type, in models of the small kind and with experts: computing
// with the file's own blocks gives what computing with the values gives that
// the scalar decoder makes of them.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>

#include "support/model_runner.h"
#include "support/synthetic_model.h"

namespace pleiad {
namespace {

namespace fs = std::filesystem;
using testing_support::ModelRunner;
using testing_support::SyntheticFamily;

struct Variant {
  SyntheticFamily family;
  DType type;
};

class QuantizedModel : public ::testing::TestWithParam<Variant> {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("pleiad_quantized_" + std::to_string(::getpid()) + "_" +
                                           std::to_string(static_cast<int>(GetParam().type)) +
                                           std::to_string(static_cast<int>(GetParam().family)));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_P(QuantizedModel, AgreesWithTheScalarDecodeOfTheSameFile) {
  const auto [family, type] = GetParam();
  testing_support::write_synthetic_model(folder_ / "blocks.gguf", family, type, false, 5);
  testing_support::write_synthetic_model(folder_ / "values.gguf", family, type, true, 5);
  std::vector<std::int32_t> tokens = {2};
  for (int i = 1; i < 30; ++i) tokens.push_back(i * 37 % 96);
  for (const cpu::Isa isa : cpu::usable_isas()) {
    const std::string isa_name(cpu::name(isa));
    ModelRunner blocks(folder_ / "blocks.gguf", isa_name);
    ModelRunner values(folder_ / "values.gguf", isa_name);
    EXPECT_EQ(blocks.checkpoint().main_dtype(), type);
    const std::vector<float> found = blocks.logits(tokens, 11);
    const std::vector<float> expected = values.logits(tokens, 96);
    ASSERT_EQ(found.size(), expected.size());
    float largest = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_NEAR(found[i], expected[i], 2e-5) << isa_name << " value " << i;
      largest = std::max(largest, std::abs(expected[i]));
    }
    EXPECT_GT(largest, 1.0F) << "logits that say something";
  }
}

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const DType type :
       {DType::f16, DType::bf16, DType::q8_0, DType::q4_0, DType::q4_1, DType::q5_0, DType::q5_1,
        DType::q4_k, DType::q5_k, DType::q6_k, DType::nvfp4}) {
    all.push_back({SyntheticFamily::e_series, type});
    all.push_back({SyntheticFamily::mixture_of_experts, type});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(EveryType, QuantizedModel, ::testing::ValuesIn(variants()),
                         [](const auto& item) {
                           return std::string(name(item.param.type)) +
                                  (item.param.family == SyntheticFamily::e_series ? "_e_series"
                                                                                  : "_experts");
                         });

}  // namespace
}  // namespace pleiad
