// A quantized folder computes what its decoded values compute, but for the rounding of
// activations that the type's kernels do.

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/testing/paths.h"
#include "base/testing/test_folder.h"
#include "convert/write_folder.h"
#include "support/compare_logits.h"
#include "support/model_runner.h"

namespace pleiad {
namespace {

namespace fs = std::filesystem;
using testing_support::compare_logits;
using testing_support::ModelRunner;

struct FolderBound {
  convert::FileType type;
  double relative_rms;
};

class ConvertedFolder : public ::testing::TestWithParam<FolderBound> {
 protected:
  TestFolder root_;
};

TEST_P(ConvertedFolder, ComputesWhatItsDecodedValuesCompute) {
  convert::WriteOptions options;
  options.mix.type = GetParam().type;
  options.rounding = quantize::Rounding::nearest;
  const fs::path source = fs::path(golden_path()) / "models" / "e4b";
  convert::write_folder(Checkpoint::open(source), root_ / "quantized", options);
  options.mix.type = convert::FileType::as_is;
  options.dequantize = true;
  convert::write_folder(Checkpoint::open(root_ / "quantized"), root_ / "values", options);

  const std::vector<std::int32_t> tokens = {2, 17, 105, 200, 33, 8, 250, 91, 64, 12};
  ModelRunner quantized = ModelRunner::precise(root_ / "quantized");
  ModelRunner values(root_ / "values");
  EXPECT_EQ(values.checkpoint().main_dtype(), DType::bf16);
  const std::vector<float> expected = values.logits(tokens, 5);
  const auto vocabulary = quantized.model().info().vocab_size;
  const auto errors = compare_logits(quantized.logits(tokens, 5), expected, vocabulary);
  EXPECT_LE(errors.relative_rms, GetParam().relative_rms);
  EXPECT_EQ(errors.same_best, 10);
}

INSTANTIATE_TEST_SUITE_P(EveryType, ConvertedFolder,
                         ::testing::Values(FolderBound{convert::FileType::nvfp4a16, 3e-4},
                                           FolderBound{convert::FileType::fp8, 1e-5},
                                           FolderBound{convert::FileType::fp8_dynamic, 1e-5}),
                         [](const auto& item) { return std::string(name(item.param.type)); });

}  // namespace
}  // namespace pleiad
