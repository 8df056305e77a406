// Every stored type, in models of the small kind and with experts: computing with
// the file's own blocks gives what computing with the values gives that the scalar
// decoder makes of them, but for the rounding of activations that the type's
// kernels do.

#include <gtest/gtest.h>

#include <algorithm>

#include "support/compare_logits.h"
#include "support/model_runner.h"
#include "support/synthetic_files.h"

namespace pleiad {
namespace {

using testing_support::compare_logits;
using testing_support::LogitErrors;
using testing_support::ModelRunner;
using testing_support::some_tokens;
using testing_support::SyntheticFamily;

constexpr std::int64_t kVocabularySize = 96;

// Relative root mean squares of the logits' errors, as a bound; the most that was
// measured in comments.
struct TypeBound {
  DType type;
  double words;         // activations of 16 bits
  double prompt_bytes;  // activations of 8 bits: without a matrix unit
  double prompt_tiles;  // bf16, on the matrix unit
};

constexpr TypeBound kTypeBounds[] = {
    {DType::f16, 4e-6, 4e-6, 4e-6},          // 1.4e-6
    {DType::bf16, 4e-6, 4e-6, 1.4e-2},       // 1.6e-6, 1.6e-6, 6.8e-3
    {DType::q8_0, 2.4e-4, 4e-2, 1.7e-2},     // 8.2e-5, 2.1e-2, 8.6e-3
    {DType::q4_0, 6e-5, 6.6e-3, 3.6e-3},     // 2.0e-5, 3.3e-3, 1.9e-3
    {DType::q4_1, 4e-6, 4e-6, 4e-6},         // 1.4e-6: not packed, computed in f32
    {DType::q5_0, 2.1e-4, 3.5e-2, 1.4e-2},   // 7.0e-5, 1.8e-2, 7.1e-3
    {DType::q5_1, 4e-6, 4e-6, 4e-6},         // 1.3e-6: not packed, computed in f32
    {DType::q4_k, 9e-5, 1e-2, 4e-3},         // 4.5e-5, 4.8e-3, 2.1e-3
    {DType::q5_k, 7.5e-5, 1.2e-2, 4.3e-3},   // 4.0e-5, 6.1e-3, 2.2e-3
    {DType::q6_k, 3.3e-4, 5.7e-2, 2.2e-2},   // 1.7e-4, 2.9e-2, 1.1e-2
    {DType::nvfp4, 1.1e-4, 1.9e-2, 5.3e-3},  // 3.8e-5, 9.7e-3, 2.7e-3
};

// Rounding may choose another expert for some rows of a prompt, which changes them,
// and what attends to them, by as much as half: 0.15 over all rows.
constexpr double kOtherExperts = 0.3;

struct Variant {
  SyntheticFamily family;
  TypeBound bound;
};

class QuantizedModel : public ::testing::TestWithParam<Variant> {
 protected:
  testing_support::SyntheticFiles files_{GetParam().family, GetParam().bound.type};
};

TEST_P(QuantizedModel, AgreesWithTheScalarDecodeOfTheSameFile) {
  const SyntheticFamily family = GetParam().family;
  const TypeBound& bound = GetParam().bound;
  const std::vector<std::int32_t> tokens = some_tokens(30);
  for (const cpu::Isa isa : cpu::usable_isas()) {
    const std::string isa_name(cpu::name(isa));
    ModelRunner blocks(files_.blocks(), isa_name);
    ModelRunner words = ModelRunner::precise(files_.blocks(), isa_name);
    ModelRunner values(files_.values(), isa_name);
    EXPECT_EQ(blocks.checkpoint().main_dtype(), bound.type);
    const std::vector<float> expected = values.logits(tokens, 96);
    EXPECT_GT(*std::max_element(expected.begin(), expected.end()), 1.0F)
        << "logits that say something";
    const auto expect_precise = [&](const std::vector<float>& logits) {
      const LogitErrors errors = compare_logits(logits, expected, kVocabularySize);
      EXPECT_LE(errors.relative_rms, bound.words) << isa_name;
      EXPECT_EQ(errors.same_best, 30) << isa_name;
    };
    expect_precise(words.logits(tokens, 11, Phase::generation));
    expect_precise(words.logits(tokens, 11, Phase::prompt));
    if (!blocks.model().has_one_arithmetic()) expect_precise(blocks.logits(tokens, 11));
    const LogitErrors prompt =
        compare_logits(blocks.logits(tokens, 11, Phase::prompt), expected, kVocabularySize);
    const double rounding = isa == cpu::Isa::amx ? bound.prompt_tiles : bound.prompt_bytes;
    const bool experts = family == SyntheticFamily::mixture_of_experts;
    EXPECT_LE(prompt.relative_rms, experts && rounding > 1e-5 ? kOtherExperts : rounding)
        << isa_name;
    EXPECT_GE(prompt.same_best, 26) << isa_name;
  }
}

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const TypeBound& bound : kTypeBounds) {
    all.push_back({SyntheticFamily::e_series, bound});
    all.push_back({SyntheticFamily::mixture_of_experts, bound});
  }
  return all;
}

std::string variant_name(const ::testing::TestParamInfo<Variant>& item) {
  return std::string(name(item.param.bound.type)) +
         (item.param.family == SyntheticFamily::e_series ? "_e_series" : "_experts");
}

INSTANTIATE_TEST_SUITE_P(EveryType, QuantizedModel, ::testing::ValuesIn(variants()), variant_name);

}  // namespace
}  // namespace pleiad
