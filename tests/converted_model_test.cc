// A model that was written as a GGUF file computes what its source computes: the
// same bits where values stay, and close to them where they are rounded.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include <filesystem>
#include <string>

#include "base/testing/paths.h"
#include "base/testing/test_folder.h"
#include "convert/write_gguf.h"
#include "support/compare_logits.h"
#include "support/model_runner.h"
#include "support/synthetic_files.h"

namespace pleiad {
namespace {

namespace fs = std::filesystem;
using testing_support::compare_logits;
using testing_support::ModelRunner;
using testing_support::some_tokens;
using testing_support::SyntheticFamily;

constexpr std::int64_t kVocabulary = 96;

class ConvertedModel : public ::testing::Test {
 protected:
  fs::path write(const fs::path& source, convert::FileType type,
                 quantize::Rounding rounding = quantize::Rounding::nearest,
                 const std::map<convert::TensorClass, DType>& keep = {}) const {
    convert::WriteOptions options;
    options.mix.type = type;
    options.rounding = rounding;
    options.n_threads = 2;
    options.mix.keep = keep;
    const fs::path target = folder_ / fmt::format("{}{}.gguf", convert::name(type), keep.size());
    convert::write_gguf(Checkpoint::open(source), target, options);
    return target;
  }

  fs::path synthetic(SyntheticFamily family) const {
    const fs::path path = folder_ / "source.gguf";
    testing_support::write_synthetic_model(path, family, DType::bf16, false, 5);
    return path;
  }

  TestFolder folder_;
};

TEST_F(ConvertedModel, OfAFolderGivesTheSameBits) {
  const std::vector<std::int32_t> tokens = {2, 45, 107, 9, 33, 60, 271, 4};
  for (const char* family : {"e2b", "e4b", "12b", "26b-a4b", "31b"}) {
    const fs::path source = fs::path(golden_path()) / "models" / family;
    ModelRunner before(source);
    ModelRunner after(write(source, convert::FileType::as_is));
    EXPECT_EQ(before.logits(tokens, 8), after.logits(tokens, 8)) << family;
  }
}

TEST_F(ConvertedModel, StaysCloseInEveryType) {
  const std::vector<std::int32_t> tokens = some_tokens(30);
  // Relative root mean squares of the logits' errors, a tenth above what was measured (0.089
  // for q6_k, 0.154 for q5_k, 0.307 for q4_k_m). Weights are random here, so that nothing is
  // redundant.
  const std::pair<convert::FileType, double> bounds[] = {
      {convert::FileType::q8_0, 0.03},  {convert::FileType::q6_k, 0.1},
      {convert::FileType::q5_k, 0.17},  {convert::FileType::q4_k_m, 0.34},
      {convert::FileType::q4_k_s, 0.3}, {convert::FileType::q4_0, 0.35},
      {convert::FileType::nvfp4, 0.35},
  };
  const fs::path source = synthetic(SyntheticFamily::e_series);
  const std::vector<float> expected = ModelRunner(source).logits(tokens, 30);
  for (const auto& [type, bound] : bounds) {
    ModelRunner model = ModelRunner::precise(write(source, type));
    const auto errors = compare_logits(model.logits(tokens, 30), expected, kVocabulary);
    EXPECT_LE(errors.relative_rms, bound) << convert::name(type);
    EXPECT_GT(errors.relative_rms, 0) << convert::name(type);
  }
}

TEST_F(ConvertedModel, HasExpertsWithScalesOfTheirOwnInNvfp4) {
  // Fused gate and up become two tensors, and the scales of the experts' outputs
  // part of those of their last matrix.
  const std::vector<std::int32_t> tokens = some_tokens(12);
  const fs::path source = synthetic(SyntheticFamily::mixture_of_experts);
  const fs::path written = write(source, convert::FileType::nvfp4);
  const Checkpoint checkpoint = Checkpoint::open(written);
  EXPECT_EQ(checkpoint.get("layers.0.experts.gate_proj").dtype, DType::nvfp4);
  EXPECT_EQ(checkpoint.find("layers.0.experts.gate_up_proj"), nullptr);
  // The same values as F32, so that the same experts are chosen.
  using Class = convert::TensorClass;
  const fs::path decoded = write(written, convert::FileType::bf16, quantize::Rounding::nearest,
                                 {{Class::attention, DType::f32},
                                  {Class::ffn, DType::f32},
                                  {Class::experts, DType::f32},
                                  {Class::head, DType::f32},
                                  {Class::embedding, DType::f32}});
  const std::vector<float> expected = ModelRunner(decoded).logits(tokens, 12);
  ModelRunner model = ModelRunner::precise(written);
  const auto errors = compare_logits(model.logits(tokens, 12), expected, kVocabulary);
  EXPECT_LE(errors.relative_rms, 0.02);

  const std::vector<float> before = ModelRunner(source).logits(tokens, 12);
  EXPECT_LE(compare_logits(model.logits(tokens, 12), before, kVocabulary).relative_rms, 0.5);
}

}  // namespace
}  // namespace pleiad
