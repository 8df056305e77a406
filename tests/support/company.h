#pragma once

#include <algorithm>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "support/model_runner.h"

namespace pleiad::testing_support {

/// Tokens of a sequence: the first n_prompt are its prompt, the rest generated.
struct SequencePlan {
  std::vector<std::int32_t> tokens;
  std::size_t n_prompt = 0;
};

/// Every sequence's logits as ModelRunner::logits gives them, but computed side by
/// side: in uneven portions and in changing order within the batch, some sequences
/// still reading while others generate.
inline std::vector<std::vector<float>> logits_in_company(ModelRunner& runner,
                                                         const std::vector<SequencePlan>& plans,
                                                         const KvCacheOptions& options,
                                                         std::mt19937& random) {
  const auto cache = runner.model().make_kv_cache(options);
  std::vector<std::unique_ptr<KvSequence>> sequences;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    sequences.push_back(std::make_unique<KvSequence>(*cache));
  }
  std::vector<std::size_t> members(plans.size());
  for (std::size_t i = 0; i < members.size(); ++i) members[i] = i;
  std::vector<std::size_t> done(plans.size(), 0);
  std::vector<std::vector<float>> found(plans.size());
  const std::size_t most = static_cast<std::size_t>(runner.model().info().max_rows) / plans.size();
  const auto finished = [&] {
    return std::all_of(members.begin(), members.end(),
                       [&](std::size_t i) { return done[i] == plans[i].tokens.size(); });
  };
  while (!finished()) {
    std::shuffle(members.begin(), members.end(), random);
    std::vector<Slice> batch;
    std::vector<std::size_t> owners;
    for (const std::size_t i : members) {
      const bool reading = done[i] < plans[i].n_prompt;
      const std::size_t left = (reading ? plans[i].n_prompt : plans[i].tokens.size()) - done[i];
      const std::size_t n = std::min(left, random() % 3 == 0 ? 1 : random() % most);
      if (n == 0) continue;
      sequences[i]->reserve(static_cast<std::int64_t>(n));
      batch.push_back({sequences[i].get(), std::span(plans[i].tokens).subspan(done[i], n),
                       WantLogits::all, reading ? Phase::prompt : Phase::generation});
      owners.push_back(i);
      done[i] += n;
    }
    if (batch.empty()) continue;
    const Logits logits = runner.model().forward(batch, *cache);
    std::int64_t row = 0;
    for (std::size_t k = 0; k < batch.size(); ++k) {
      for (std::size_t t = 0; t < batch[k].tokens.size(); ++t, ++row) {
        found[owners[k]].insert(found[owners[k]].end(), logits.row(row).begin(),
                                logits.row(row).end());
      }
    }
  }
  return found;
}

/// A text that is written token by token. Its pages are kept as they become whole, and the one on
/// which it ends, as a cache of texts keeps them.
class KeptText {
 public:
  KeptText(ModelRunner& runner, std::vector<std::int32_t> tokens, const KvCacheOptions& options)
      : model_(runner.model()),
        tokens_(std::move(tokens)),
        page_tokens_(options.page_tokens),
        cache_(model_.make_kv_cache(options)) {
    KvSequence sequence(*cache_);
    for (const std::int32_t& token : tokens_) {
      sequence.reserve(1);
      append(logits_, {&sequence, {&token, 1}, WantLogits::all, Phase::generation});
      const std::int64_t n = sequence.length();
      if (n % page_tokens_ == 0) pages_.push_back(sequence.share(n / page_tokens_ - 1));
    }
    if (sequence.length() % page_tokens_ > 0) {
      pages_.push_back(sequence.share_end(sequence.length() / page_tokens_));
    }
  }

  /// Of every token, as it was written.
  const std::vector<float>& logits() const { return logits_; }

  /// Of the tokens behind the first `depth`, which stay in the pages: read in chunks.
  std::vector<float> read_on(std::int64_t depth, std::int64_t chunk) {
    KvSequence sequence(*cache_);
    std::vector<const KvBlock*> whole;
    for (std::int64_t page = 0; page < depth / page_tokens_; ++page) {
      whole.push_back(&pages_[static_cast<std::size_t>(page)]);
    }
    sequence.adopt(whole);
    if (depth % page_tokens_ > 0) {
      sequence.adopt_copy(pages_[whole.size()], depth % page_tokens_);
    }
    std::vector<float> found;
    while (sequence.length() < std::ssize(tokens_)) {
      const std::int64_t done = sequence.length();
      const std::int64_t n = std::min(chunk, std::ssize(tokens_) - done);
      sequence.reserve(n);
      const auto part =
          std::span(tokens_).subspan(static_cast<std::size_t>(done), static_cast<std::size_t>(n));
      append(found, {&sequence, part, WantLogits::all, Phase::prompt});
    }
    return found;
  }

 private:
  void append(std::vector<float>& all, const Slice& slice) {
    const Logits logits = model_.forward({&slice, 1}, *cache_);
    all.insert(all.end(), logits.values.begin(), logits.values.end());
  }

  Model& model_;
  std::vector<std::int32_t> tokens_;
  std::int64_t page_tokens_;
  std::unique_ptr<KvCache> cache_;
  std::vector<KvBlock> pages_;  // before the cache goes
  std::vector<float> logits_;
};

}  // namespace pleiad::testing_support
