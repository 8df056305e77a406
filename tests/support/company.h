#pragma once

#include <algorithm>
#include <random>

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

}  // namespace pleiad::testing_support
