// A picture's whole way at every large budget: from its file, decoded, resized and encoded, to the
// logits of a prompt that shows it, against the reference's.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <memory>

#include "media/prepare.h"
#include "model/gemma4/vision/encoder.h"
#include "model/testing/golden_media.h"
#include "support/model_runner.h"

namespace pleiad {
namespace {

using testing_support::golden_media;
using testing_support::GoldenBudgetPrompt;
using testing_support::GoldenMatrix;
using testing_support::GoldenPictureFile;
using testing_support::kExactCache;
using testing_support::read_golden_matrix;
using testing_support::read_golden_media;

// A picture of 1,120 tokens and the text around it in one pass.
constexpr int kBudgetRows = 1152;
constexpr float kBudgetTolerance = 5e-4F;

/// The best instruction set that rounds no activations to bf16.
std::string exact_isa() {
  const auto isas = cpu::usable_isas();
  const auto last =
      std::find_if(isas.rbegin(), isas.rend(), [](cpu::Isa isa) { return isa != cpu::Isa::amx; });
  return std::string(cpu::name(*last));
}

/// A model and its tower on one backend.
class SeeingModel {
 public:
  explicit SeeingModel(const std::string& family)
      : checkpoint_(Checkpoint::open(golden_media(family))),
        backend_({.isa = exact_isa(), .n_threads = 1, .max_rows = kBudgetRows}),
        tower_(gemma4::make_vision_encoder(checkpoint_, backend_, {.max_rows = 512})),
        model_(checkpoint_, backend_, {kBudgetRows, kBudgetRows}) {}

  std::vector<float> encode(const media::Pixels& pixels) {
    const PictureInput picture =
        make_picture_input(pixels.size.width, pixels.size.height, pixels.rgb);
    const auto encoding = tower_->begin(picture);
    while (!encoding->advance(512)) {
    }
    return encoding->take();
  }

  /// Logits of every token.
  std::vector<float> logits(const GoldenBudgetPrompt& prompt, const std::vector<float>& soft) {
    const auto cache = model_.make_kv_cache(kExactCache);
    KvSequence sequence(*cache);
    sequence.reserve(std::ssize(prompt.tokens));
    const std::vector<SoftRows> rows = {{prompt.first, soft}};
    Slice slice = {&sequence, prompt.tokens, WantLogits::all, Phase::prompt};
    slice.soft = rows;
    const Logits found = model_.forward({&slice, 1}, *cache);
    return {found.values.begin(), found.values.end()};
  }

 private:
  Checkpoint checkpoint_;
  cpu::CpuBackend backend_;
  std::unique_ptr<VisionEncoder> tower_;
  gemma4::Gemma4 model_;
};

media::PreparedPicture prepared_file(const std::filesystem::path& path, int budget) {
  std::ifstream stream(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  auto picture = media::prepare_picture(std::as_bytes(std::span(text)), {.budget = budget}, {});
  EXPECT_TRUE(picture.ok()) << path << picture.message();
  return std::move(picture).value();
}

class GoldenBudgets : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenBudgets, LogitsOfPromptsWithPictureFilesEqualTheReference) {
  SeeingModel model(GetParam());
  std::vector<int> budgets;
  for (const GoldenBudgetPrompt& prompt : read_golden_media(GetParam()).budget_prompts) {
    SCOPED_TRACE(prompt.name);
    budgets.push_back(prompt.budget);
    const media::PreparedPicture picture = prepared_file(prompt.picture, prompt.budget);
    ASSERT_EQ(picture.n_soft_tokens, prompt.n);
    const std::vector<float> found = model.logits(prompt, model.encode(picture.pixels));
    const GoldenMatrix expected = read_golden_matrix(prompt.logits_file);
    ASSERT_EQ(expected.rows, std::ssize(prompt.rows));
    ASSERT_EQ(std::ssize(found), std::ssize(prompt.tokens) * expected.cols);
    for (std::int64_t row = 0; row < expected.rows; ++row) {
      const std::int64_t token = prompt.rows[static_cast<std::size_t>(row)];
      for (std::int64_t i = 0; i < expected.cols; ++i) {
        ASSERT_NEAR(found[static_cast<std::size_t>(token * expected.cols + i)],
                    expected.values[static_cast<std::size_t>(row * expected.cols + i)],
                    kBudgetTolerance)
            << "token " << token;
      }
    }
  }
  EXPECT_EQ(budgets, (std::vector{280, 560, 1120}));
}

// Formats that lose some of a picture: the reference decodes them with other code than we.
TEST_P(GoldenBudgets, SoftTokensOfLossyFilesEqualTheReference) {
  SeeingModel model(GetParam());
  int n_cases = 0;
  for (const GoldenPictureFile& file : read_golden_media(GetParam()).files) {
    if (!file.lossy) continue;
    SCOPED_TRACE(file.name);
    ++n_cases;
    const media::PreparedPicture picture = prepared_file(file.picture, file.budget);
    ASSERT_EQ(picture.pixels.size, (media::PictureSize{file.width, file.height}));
    const std::vector<float> found = model.encode(picture.pixels);
    const GoldenMatrix expected = read_golden_matrix(file.file);
    ASSERT_EQ(found.size(), expected.values.size());
    float largest = 0;
    float worst = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      largest = std::max(largest, std::abs(expected.values[i]));
      worst = std::max(worst, std::abs(found[i] - expected.values[i]));
    }
    EXPECT_LE(worst, 5e-4F * largest);
  }
  EXPECT_GE(n_cases, 4);
}

INSTANTIATE_TEST_SUITE_P(Families, GoldenBudgets, ::testing::Values("e2b", "12b", "26b-a4b"),
                         [](const auto& family) {
                           std::string name = family.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace pleiad
