#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "model/model.h"
#include "sampling/random.h"

namespace pleiad::bench {

/// Told after every forward pass how many tokens it computed; false: give up.
using AfterPass = std::function<bool(std::int64_t n_tokens)>;

/// Random tokens that no cache has seen.
std::vector<std::int32_t> random_tokens(std::int64_t n, std::int64_t vocab_size,
                                        sampling::Random& random);

/// A prompt in as many passes as it takes; false: given up.
bool evaluate_prompt(Model& model, KvCache& cache, KvSequence& sequence,
                     std::span<const std::int32_t> tokens, bool wants_logits,
                     const AfterPass& after_pass);

/// Sequences whose contexts hold `depth` random tokens, and that return there
/// after every repetition.
class Context {
 public:
  Context(Model& model, KvType type, std::int64_t depth);

  KvType type() const { return type_; }
  std::int64_t depth() const { return depth_; }
  KvCache& cache() { return *cache_; }
  KvSequence& sequence(std::size_t index) { return *sequences_[index]; }
  std::size_t size() const { return sequences_.size(); }

  /// Fills new sequences until there are n; false: given up.
  bool grow(std::size_t n, sampling::Random& random, const AfterPass& after_pass);

  /// Back to `depth` tokens.
  void rewind();

 private:
  Model& model_;
  KvType type_;
  std::int64_t depth_;
  std::unique_ptr<KvCache> cache_;
  std::vector<std::unique_ptr<KvSequence>> sequences_;
};

}  // namespace pleiad::bench
