#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backend/kv_view.h"

namespace pleiad::bench {

enum class TestKind : std::uint8_t { prompt, generation };

/// One thing to measure.
struct Case {
  TestKind kind = TestKind::prompt;
  std::int64_t n_tokens = 0;     // of a prompt, or steps of generation
  std::int64_t depth = 0;        // tokens in the context before
  std::int64_t n_sequences = 1;  // that generate together
  KvType kv_type = KvType::bf16;

  /// "pp512", "tg64", "tg64@d4096", "tg64 x8"
  std::string name() const;

  /// Tokens that one repetition computes, of all sequences together.
  std::int64_t total_tokens() const { return n_tokens * n_sequences; }
};

/// What the user asks for; every combination is a test. A size of 0 is none.
struct PlanOptions {
  std::vector<std::int64_t> prompts = {512};
  std::vector<std::int64_t> generations = {64};
  std::vector<std::int64_t> depths = {0};
  std::vector<std::int64_t> batches = {1};  // for generation only
  std::vector<KvType> kv_types = {KvType::bf16};
};

/// Tests of one type and depth stand together, because the context is filled
/// once for them. Throws Error where a test does not fit into the context, or
/// where none is left.
std::vector<Case> make_plan(const PlanOptions& options, std::int64_t context_length);

}  // namespace pleiad::bench
