#include "engine/kv_memory.h"

#include <algorithm>

#include "base/check.h"

namespace pleiad {

KvMemory::KvMemory(Model& model, KvType type, std::uint64_t limit, std::int64_t step_rows)
    : limit_(limit),
      step_rows_(step_rows),
      blocks_on_all_layers_(model.info().blocks_on_all_layers),
      cache_(model.make_kv_cache({type, KvCacheOptions().page_tokens, limit})),
      prefixes_(cache_->options().page_tokens) {}

std::uint64_t KvMemory::bytes_for(std::int64_t tokens) const {
  return cache_->lasting_bytes_for(tokens) + cache_->sliding_bytes_for(tokens, step_rows_);
}

std::int64_t KvMemory::longest_fitting(std::int64_t most_tokens) const {
  std::int64_t fits = 0;
  for (std::int64_t beyond = most_tokens + 1; fits + 1 < beyond;) {
    const std::int64_t middle = fits + (beyond - fits) / 2;
    (bytes_for(middle) <= limit_ ? fits : beyond) = middle;
  }
  return fits;
}

std::uint64_t KvMemory::sliding_bytes(const KvUse& use) const {
  return cache_->sliding_bytes_for(use.most_tokens, step_rows_);
}

// Windows move on, and give pages back that another sequence may still hold. So a
// sequence is charged with all that its windows can take from its beginning.
MemoryClaim KvMemory::claim_of(const KvUse& use) const {
  const std::uint64_t sliding = sliding_bytes(use);
  return {use.sequence->lasting_bytes() + sliding, use.sequence->lasting_bytes_alone() + sliding,
          cache_->lasting_bytes_for(use.promised_tokens) + sliding,
          cache_->lasting_bytes_for(use.most_tokens) + sliding};
}

bool KvMemory::is_safe() const {
  std::vector<MemoryClaim> claims;
  std::uint64_t in_use = cache_->lasting_bytes();
  for (const KvUse* use : uses_) {
    claims.push_back(claim_of(*use));
    in_use += sliding_bytes(*use);
  }
  return can_all_finish(limit_, in_use, claims);
}

std::optional<KvMemory::Start> KvMemory::start(const PromptView& prompt,
                                               std::int64_t promised_tokens,
                                               std::int64_t most_tokens,
                                               std::optional<CacheScope> scope) {
  Start start;
  start.use = std::make_unique<KvUse>();
  KvUse& use = *start.use;
  use.sequence = std::make_unique<KvSequence>(*cache_);
  use.promised_tokens = promised_tokens;
  use.most_tokens = most_tokens;
  use.fills_cache = scope.has_value();
  if (scope) {
    use.scope = *scope;
    // The last token is always computed: its logits are what comes next.
    const std::int64_t most_pages = (prompt.size() - 1) / page_tokens();
    start.match = prefixes_.find(use.scope, prompt, most_pages);
    drop_what_ends_in_a_block(start.match, prompt);
    use.sequence->adopt(start.match.blocks);
  }
  uses_.push_back(&use);
  try {
    if (is_safe()) return start;
  } catch (...) {
    end(use);
    throw;
  }
  end(use);
  return std::nullopt;
}

// Where a block sees all of itself, what is left of one needs its beginning, which no window may
// hold any more.
void KvMemory::drop_what_ends_in_a_block(PrefixCache::Match& match,
                                         const PromptView& prompt) const {
  if (!blocks_on_all_layers_) return;
  const auto fits = [&](std::int64_t n) {
    for (std::size_t group = 0; group < cache_->n_groups(); ++group) {
      const std::int64_t window = cache_->window(group);
      if (window > 0 && continuable(prompt.media, n, window) != n) return false;
    }
    return true;
  };
  while (!fits(std::ssize(match.blocks) * page_tokens())) match.blocks.pop_back();
}

bool KvMemory::promise(KvUse& use, std::int64_t tokens) {
  if (tokens <= use.promised_tokens) return true;
  CHECK(tokens <= use.most_tokens, "{} tokens of at most {}", tokens, use.most_tokens);
  const std::int64_t before = use.promised_tokens;
  use.promised_tokens = tokens;
  if (is_safe()) return true;
  use.promised_tokens = before;
  return false;
}

void KvMemory::reserve(KvUse& use, std::int64_t n) {
  CHECK(use.sequence->length() + n <= use.promised_tokens, "{} + {} of {} tokens promised",
        use.sequence->length(), n, use.promised_tokens);
  use.sequence->reserve(0);  // gives back what no window reaches
  const std::uint64_t needed = cache_->bytes_to_reserve(*use.sequence, n);
  while (cache_->used_bytes() + needed > limit_ && prefixes_.evict()) {
  }
  CHECK(cache_->used_bytes() + needed <= limit_, "{} + {} of {} bytes", cache_->used_bytes(),
        needed, limit_);
  use.sequence->reserve(n);
}

void KvMemory::keep_pages(KvUse& use, const PromptView& prompt, std::int64_t first,
                          std::int64_t last) {
  for (std::int64_t page = first / page_tokens(); page < last / page_tokens(); ++page) {
    if (!use.fills_cache) return;
    use.fills_cache =
        prefixes_.insert(use.scope, prompt, page, [&] { return use.sequence->share(page); });
  }
}

void KvMemory::end(KvUse& use) {
  const auto at = std::find(uses_.begin(), uses_.end(), &use);
  if (at != uses_.end()) uses_.erase(at);
  use.sequence.reset();
}

void KvMemory::clear_cache() {
  prefixes_.clear();
  cache_->drop_free_pages();
}

}  // namespace pleiad
