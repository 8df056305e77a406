// Nothing about a batch changes a sequence's logits: in models of quantized and of
// 16-bit weights, in either phase, and with quantized caches.

#include <gtest/gtest.h>

#include <algorithm>

#include "support/company.h"
#include "support/compare_logits.h"
#include "support/synthetic_files.h"

namespace pleiad {
namespace {

using testing_support::compare_logits;
using testing_support::kExactCache;
using testing_support::ModelRunner;
using testing_support::SequencePlan;
using testing_support::some_tokens;
using testing_support::SyntheticFamily;

// One of every kind of kernel: integers with and without a minimum, of 16 and 32
// columns; floats; blocks as they lie in the file.
struct Company {
  DType type;
  SyntheticFamily family;
};

class QuantizedCompany : public ::testing::TestWithParam<Company> {
 protected:
  testing_support::SyntheticFiles files_{GetParam().family, GetParam().type};
};

TEST_P(QuantizedCompany, ChangesNoBitOfASequence) {
  for (const cpu::Isa isa : cpu::usable_isas()) {
    const std::string isa_name(cpu::name(isa));
    SCOPED_TRACE(isa_name);
    // All for the set that this machine uses; less for the slow one.
    const int n_tokens = isa == cpu::Isa::scalar ? 25 : isa == cpu::pick_isa("") ? 96 : 40;
    const std::vector<std::int32_t> tokens = some_tokens(n_tokens);
    ModelRunner one(files_.blocks(), isa_name, 1);
    ModelRunner two(files_.blocks(), isa_name, 2);
    ModelRunner three(files_.blocks(), isa_name, 3);
    // What is written has the bits of what is read.
    if (one.model().has_one_arithmetic()) {
      EXPECT_EQ(one.logits(tokens, 1, Phase::generation), one.logits(tokens, 96, Phase::prompt));
    }
    for (const Phase phase : {Phase::generation, Phase::prompt}) {
      const std::vector<float> whole = one.logits(tokens, 96, phase);
      for (const std::size_t chunk : {1UL, 16UL, 23UL}) {
        EXPECT_EQ(one.logits(tokens, chunk, phase), whole) << "chunks of " << chunk;
      }
      EXPECT_EQ(two.logits(tokens, 7, phase), whole) << "chunks of 7, two threads";
      EXPECT_EQ(three.logits(tokens, 96, phase), whole) << "three threads";
    }
    // Two to nine sequences, some reading while others generate.
    std::mt19937 random(11);
    for (const std::size_t n : {2UL, 5UL, 9UL}) {
      std::vector<SequencePlan> plans;
      for (std::size_t i = 0; i < n; ++i) {
        std::vector<std::int32_t> own(
            tokens.begin(), tokens.begin() + static_cast<long>(tokens.size() / (1 + i % 3)));
        std::rotate(own.begin(), own.begin() + static_cast<long>(i), own.end());
        const std::size_t n_prompt = own.size() * i / (n - 1);
        plans.push_back({std::move(own), n_prompt});
      }
      const auto found = testing_support::logits_in_company(two, plans, kExactCache, random);
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_EQ(found[i], one.logits(plans[i].tokens, plans[i].n_prompt, 96, kExactCache))
            << "sequence " << i << " of " << n;
      }
    }
  }
}

// Thousands of positions, more than a window and than a piece of attention: what was written token
// by token is read with the same bits whole, in uneven portions beside another, and on from pages
// of what was written.
TEST_P(QuantizedCompany, WritesALongTextWithTheBitsOfReadingIt) {
  using cpu::ActivationForm;
  constexpr std::int64_t kVocab = 96;
  std::mt19937 random(3);
  for (const cpu::Isa isa : cpu::usable_isas()) {
    SCOPED_TRACE(cpu::name(isa));
    for (const ActivationForm form :
         {ActivationForm::automatic, ActivationForm::bytes, ActivationForm::words}) {
      // All for the set and the form that this machine uses; for the others more than a piece.
      const bool is_used = isa == cpu::pick_isa("") && form == ActivationForm::automatic;
      if (!is_used && isa == cpu::Isa::scalar && form != ActivationForm::automatic) continue;
      const int n = is_used ? 2500 : 300;
      const std::vector<std::int32_t> tokens = some_tokens(n);
      const std::string isa_name(cpu::name(isa));
      ModelRunner runner(files_.blocks(), isa_name, 1, 96, 96, {}, form);
      if (!runner.model().has_one_arithmetic()) continue;
      ModelRunner at_once(files_.blocks(), isa_name, 1, n, n, {}, form);
      for (const KvType type : {KvType::bf16, KvType::q8_0}) {
        if (!is_used && type != KvType::bf16) continue;
        const KvCacheOptions cache = {type, 64};
        testing_support::KeptText text(runner, tokens, cache);
        const std::vector<float>& written = text.logits();
        EXPECT_EQ(at_once.logits(tokens, tokens.size(), Phase::prompt, cache), written);
        if (type != KvType::bf16) continue;
        const std::vector<SequencePlan> plans = {{tokens, tokens.size() / 3},
                                                 {{tokens.rbegin(), tokens.rbegin() + n / 2}, 100}};
        EXPECT_EQ(testing_support::logits_in_company(runner, plans, cache, random)[0], written);
        for (const std::int64_t depth : {n / 3, n - 70}) {
          const std::vector<float> rest(written.begin() + depth * kVocab, written.end());
          EXPECT_EQ(text.read_on(depth, 96), rest) << "from the cache at " << depth;
        }
      }
    }
  }
}

// Rows without logits are dropped on the way, and parts of what the rest needs are computed
// only then; with a matrix unit a prompt's row whose next token is asked for has bits of its own.
TEST_P(QuantizedCompany, ChangesNoBitByWhatItWants) {
  constexpr std::size_t kVocab = 96;
  const std::vector<std::int32_t> tokens = some_tokens(23);
  for (const cpu::Isa isa : cpu::usable_isas()) {
    const std::string isa_name(cpu::name(isa));
    SCOPED_TRACE(isa_name);
    ModelRunner one(files_.blocks(), isa_name, 1);
    ModelRunner few_logits(files_.blocks(), isa_name, 2, 96, 5);
    for (const Phase phase : {Phase::generation, Phase::prompt}) {
      const std::vector<float> whole = one.logits(tokens, 96, phase);
      const auto cache = few_logits.model().make_kv_cache(kExactCache);
      KvSequence sequence(*cache);
      std::size_t at = 0;
      for (const auto& [n, want] : {std::pair(7UL, WantLogits::none),
                                    {5UL, WantLogits::all},
                                    {6UL, WantLogits::last},
                                    {1UL, WantLogits::none},
                                    {1UL, WantLogits::last},
                                    {3UL, WantLogits::all}}) {
        sequence.reserve(static_cast<std::int64_t>(n));
        const Slice slice = {&sequence, std::span(tokens).subspan(at, n), want, phase};
        const Logits logits = few_logits.model().forward({&slice, 1}, *cache);
        at += n;
        const std::size_t n_rows = want == WantLogits::none ? 0 : want == WantLogits::last ? 1 : n;
        ASSERT_EQ(logits.values.size(), n_rows * kVocab);
        const std::vector<float> found(logits.values.begin(), logits.values.end());
        const auto begin = whole.begin() + static_cast<long>((at - n_rows) * kVocab);
        const std::vector<float> as_text(begin, begin + static_cast<long>(n_rows * kVocab));
        if (want == WantLogits::last) {
          EXPECT_EQ(found, one.next_token_logits(std::span(tokens).first(at), 96, phase)) << at;
          if (phase == Phase::generation || one.model().has_one_arithmetic()) {
            EXPECT_EQ(found, as_text) << at;
          }
          // Prompts are rounded more; 0.021 was measured, where activations have eight bits.
          EXPECT_LT(compare_logits(found, as_text, kVocab).relative_rms, 0.03) << at;
        } else {
          EXPECT_EQ(found, as_text) << "tokens to " << at;
        }
      }
      EXPECT_EQ(at, tokens.size());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    KindsOfKernels, QuantizedCompany,
    ::testing::Values(Company{DType::q4_0, SyntheticFamily::e_series},
                      Company{DType::q6_k, SyntheticFamily::e_series},
                      Company{DType::q8_0, SyntheticFamily::e_series},
                      Company{DType::bf16, SyntheticFamily::e_series},
                      Company{DType::nvfp4, SyntheticFamily::e_series},
                      Company{DType::q5_1, SyntheticFamily::e_series},
                      Company{DType::q6_k, SyntheticFamily::e_series_unshared},
                      Company{DType::q4_k, SyntheticFamily::mixture_of_experts},
                      Company{DType::bf16, SyntheticFamily::mixture_of_experts}),
    [](const auto& item) {
      return std::string(name(item.param.type)) +
             (item.param.family == SyntheticFamily::e_series            ? "_e_series"
              : item.param.family == SyntheticFamily::e_series_unshared ? "_unshared"
                                                                        : "_experts");
    });

TEST(MixedBatch, GivesTheLogitsThatEachSliceWantsInTheBatchsOrder) {
  const testing_support::SyntheticFiles files(SyntheticFamily::e_series, DType::q4_k);
  const std::vector<std::int32_t> tokens = some_tokens(12);
  for (const cpu::Isa isa : cpu::usable_isas()) {
    SCOPED_TRACE(cpu::name(isa));
    ModelRunner runner(files.blocks(), std::string(cpu::name(isa)));
    struct Part {
      std::size_t n;
      WantLogits want;
      Phase phase;
    };
    const std::vector<Part> parts = {
        {5, WantLogits::last, Phase::prompt},     {1, WantLogits::last, Phase::generation},
        {7, WantLogits::none, Phase::prompt},     {3, WantLogits::all, Phase::generation},
        {2, WantLogits::none, Phase::generation}, {4, WantLogits::all, Phase::prompt},
        {2, WantLogits::last, Phase::generation}};
    const auto cache = runner.model().make_kv_cache(kExactCache);
    std::vector<std::unique_ptr<KvSequence>> sequences;
    std::vector<Slice> batch;
    std::vector<float> expected;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto& [n, want, phase] = parts[i];
      sequences.push_back(std::make_unique<KvSequence>(*cache));
      sequences.back()->reserve(static_cast<std::int64_t>(n));
      const std::vector<std::int32_t> own(tokens.begin() + static_cast<long>(i % 5),
                                          tokens.begin() + static_cast<long>(i % 5 + n));
      const std::vector<float> own_logits = want == WantLogits::all ? runner.logits(own, 96, phase)
                                            : want == WantLogits::last
                                                ? runner.next_token_logits(own, 96, phase)
                                                : std::vector<float>();
      expected.insert(expected.end(), own_logits.begin(), own_logits.end());
      batch.push_back({sequences.back().get(), std::span(tokens).subspan(i % 5, n), want, phase});
    }
    const Logits logits = runner.model().forward(batch, *cache);
    EXPECT_EQ(std::vector<float>(logits.values.begin(), logits.values.end()), expected);
  }
}

TEST(QuantizedCache, StaysCloseAndChangesNoBitInChunks) {
  const testing_support::SyntheticFiles files(SyntheticFamily::e_series, DType::q8_0);
  const std::vector<std::int32_t> tokens = some_tokens(70);
  for (const cpu::Isa isa : cpu::usable_isas()) {
    ModelRunner runner(files.values(), std::string(cpu::name(isa)));
    const std::vector<float> exact = runner.logits(tokens, 96);
    for (const KvType type : {KvType::q8_0, KvType::q4_0}) {
      const std::vector<float> found = runner.logits(tokens, 96, Phase::generation, {type, 16});
      const double error = compare_logits(found, exact, 96).relative_rms;
      EXPECT_GT(error, 0.0);
      // 0.0077 and 0.12 were measured; keys and values here are noise.
      EXPECT_LT(error, type == KvType::q8_0 ? 0.015 : 0.25) << cpu::name(isa);
      EXPECT_EQ(runner.logits(tokens, 5, Phase::generation, {type, 16}), found);
      EXPECT_EQ(runner.logits(tokens, 5, Phase::prompt, {type, 64}),
                runner.logits(tokens, 96, Phase::prompt, {type, 64}));
    }
  }
}

}  // namespace
}  // namespace pleiad
