#include "engine/kv_memory.h"

#include <algorithm>

#include "base/check.h"

namespace pleiad {
namespace {

// Of a text's first page: what nearly all texts begin with alike (the template's first tokens) is
// no part of any that was found.
constexpr std::int64_t kLeastBeginning = 16;

}  // namespace

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

bool KvMemory::fits_going_back(std::int64_t tokens, std::int64_t goes_back) const {
  return cache_->lasting_bytes_for(tokens) +
             cache_->sliding_bytes_for(tokens, step_rows_ + goes_back) <=
         limit_;
}

std::uint64_t KvMemory::sliding_bytes(const KvUse& use) const {
  return cache_->sliding_bytes_for(use.most_tokens, step_rows_ + use.goes_back);
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
                                               std::optional<CacheUse> cache,
                                               std::int64_t goes_back) {
  Start start;
  start.use = std::make_unique<KvUse>();
  KvUse& use = *start.use;
  use.sequence = std::make_unique<KvSequence>(*cache_);
  use.promised_tokens = promised_tokens;
  use.most_tokens = most_tokens;
  use.goes_back = goes_back;
  use.fills_cache = cache.has_value();
  if (cache) {
    use.scope = cache->scope;
    // The last token is always computed: its logits are what comes next.
    start.match = prefixes_.find(use.scope, prompt, prompt.size() - 1);
    const bool is_common = start.match.blocks.empty() && start.match.tail_tokens < kLeastBeginning;
    if (!cache->within_pages || is_common) start.match.tail = nullptr;
    drop_what_ends_in_a_block(start.match, prompt, cache->within_pages);
    use.sequence->adopt(start.match.blocks);
  }
  uses_.push_back(&use);
  try {
    if (is_safe()) {
      if (start.match.tail) adopt_tail(use, start.match);
      return start;
    }
  } catch (...) {
    end(use);
    throw;
  }
  end(use);
  return std::nullopt;
}

// Where a block sees all of itself, what is left of one needs its beginning, which no window may
// hold any more.
void KvMemory::drop_what_ends_in_a_block(PrefixCache::Match& match, const PromptView& prompt,
                                         bool within_pages) const {
  if (!blocks_on_all_layers_) return;
  for (;;) {
    const std::int64_t n_whole = std::ssize(match.blocks) * page_tokens();
    const std::int64_t n = n_whole + (match.tail ? match.tail_tokens : 0);
    const std::int64_t fits = continuable_tokens(prompt, n);
    if (fits == n) return;
    if (fits < n_whole) {
      match.tail = match.blocks[static_cast<std::size_t>(fits / page_tokens())];
      match.blocks.resize(static_cast<std::size_t>(fits / page_tokens()));
    }
    match.tail_tokens = fits % page_tokens();
    if (match.tail_tokens == 0 || !within_pages) match.tail = nullptr;
  }
}

// In the group where it is the fewest.
std::int64_t KvMemory::continuable_tokens(const PromptView& prompt, std::int64_t n) const {
  std::int64_t fits = n;
  for (std::size_t group = 0; group < cache_->n_groups(); ++group) {
    const std::int64_t window = cache_->window(group);
    if (window > 0) fits = std::min(fits, continuable(prompt.media, n, window));
  }
  return fits;
}

// Where the copy finds no room the tokens are computed.
void KvMemory::adopt_tail(KvUse& use, const PrefixCache::Match& match) {
  const KvBlock held = match.tail->again();  // whatever the tree gives up
  const std::uint64_t needed = cache_->bytes_to_reserve(*use.sequence, match.tail_tokens);
  if (make_room(needed)) use.sequence->adopt_copy(held, match.tail_tokens);
}

// By what is cached alone. False where that is not enough.
bool KvMemory::make_room(std::uint64_t bytes) {
  while (cache_->used_bytes() + bytes > limit_ && prefixes_.evict()) {
  }
  return cache_->used_bytes() + bytes <= limit_;
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
  CHECK(make_room(needed), "{} + {} of {} bytes", cache_->used_bytes(), needed, limit_);
  use.sequence->reserve(n);
}

void KvMemory::keep_pages(KvUse& use, const PromptView& text, std::int64_t first,
                          std::int64_t last) {
  for (std::int64_t page = first / page_tokens(); page < last / page_tokens(); ++page) {
    if (!use.fills_cache) return;
    use.fills_cache =
        prefixes_.insert(use.scope, text, page, [&] { return use.sequence->share(page); });
  }
}

void KvMemory::keep_end(KvUse& use, const PromptView& text) {
  const std::int64_t page = text.size() / page_tokens();
  if (!use.fills_cache || text.size() % page_tokens() == 0 || !use.sequence->holds(page)) return;
  prefixes_.insert(use.scope, text, page, [&] { return use.sequence->share_end(page); });
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
