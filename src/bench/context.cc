#include "bench/context.h"

#include <algorithm>

#include "bench/slices.h"

namespace pleiad::bench {

std::vector<std::int32_t> random_tokens(std::int64_t n, std::int64_t vocab_size,
                                        sampling::Random& random) {
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(n));
  for (std::int32_t& token : tokens) {
    token = static_cast<std::int32_t>(random.next() % static_cast<std::uint64_t>(vocab_size));
  }
  return tokens;
}

bool evaluate_prompt(Model& model, KvCache& cache, KvSequence& sequence,
                     std::span<const std::int32_t> tokens, bool wants_logits,
                     const AfterPass& after_pass) {
  const auto max_rows = static_cast<std::size_t>(model.info().max_rows);
  for (std::size_t at = 0; at < tokens.size();) {
    const std::size_t n = std::min(max_rows, tokens.size() - at);
    const bool is_last = at + n == tokens.size();
    sequence.reserve(static_cast<std::int64_t>(n));
    const Slice slice = prompt_slice(sequence, tokens.subspan(at, n), wants_logits && is_last);
    model.forward({&slice, 1}, cache);
    at += n;
    if (!after_pass(static_cast<std::int64_t>(n))) return false;
  }
  return true;
}

Context::Context(Model& model, KvType type, std::int64_t depth)
    : model_(model),
      type_(type),
      depth_(depth),
      cache_(model.make_kv_cache({type, KvCacheOptions().page_tokens})) {}

bool Context::grow(std::size_t n, sampling::Random& random, const AfterPass& after_pass) {
  while (sequences_.size() < n) {
    auto sequence = std::make_unique<KvSequence>(*cache_);
    const auto tokens = random_tokens(depth_, model_.info().vocab_size, random);
    if (!evaluate_prompt(model_, *cache_, *sequence, tokens, false, after_pass)) return false;
    sequence->keep_from(depth_);
    sequences_.push_back(std::move(sequence));
  }
  return true;
}

void Context::rewind() {
  for (const auto& sequence : sequences_) sequence->truncate(depth_);
}

}  // namespace pleiad::bench
