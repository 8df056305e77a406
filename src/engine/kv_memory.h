#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/memory_plan.h"
#include "engine/prefix_cache.h"
#include "model/model.h"

namespace pleiad {

/// How a sequence uses the cache.
struct CacheUse {
  CacheScope scope = CacheScope::common;
  bool within_pages = true;  // what it begins with may end within a page; else whole ones alone
};

/// What one running request has of the memory for keys and values.
struct KvUse {
  std::unique_ptr<KvSequence> sequence;
  std::int64_t promised_tokens = 0;  // it may grow to this length without asking
  std::int64_t most_tokens = 0;      // and never beyond this
  std::int64_t goes_back = 0;        // by so many tokens at most: windows hold these too
  bool fills_cache = false;          // its pages are kept, in this scope:
  CacheScope scope = CacheScope::common;
};

/// The memory for keys and values under one limit: the pages of running sequences,
/// which nobody takes away, and those of the prefix cache, which give way to them.
///
/// A sequence is promised its prompt and a part of its reply when it starts; more is
/// promised while it grows. Both happen only where all running sequences could still
/// be served to their ends, one after the other if need be (memory_plan.h); else the
/// one that asks has to wait. So requests without a limit run together as long as
/// their replies are as short as replies are, and none is ever stopped for memory.
class KvMemory {
 public:
  /// `step_rows`: most tokens that a sequence takes in at once.
  KvMemory(Model& model, KvType type, std::uint64_t limit, std::int64_t step_rows);

  /// The longest sequence that the memory holds when it is alone, at most `most_tokens`.
  std::int64_t longest_fitting(std::int64_t most_tokens) const;
  std::uint64_t bytes_for(std::int64_t tokens) const;
  std::uint64_t limit() const { return limit_; }
  /// Whether a sequence that `goes_back` (see KvUse) fits when it is alone.
  bool fits_going_back(std::int64_t tokens, std::int64_t goes_back) const;

  /// Begins a sequence with what is cached of its prompt (without a `cache` that is
  /// neither read nor filled); nothing where it has to wait.
  struct Start {
    std::unique_ptr<KvUse> use;
    PrefixCache::Match match;  // good until the next step
  };
  std::optional<Start> start(const PromptView& prompt, std::int64_t promised_tokens,
                             std::int64_t most_tokens, std::optional<CacheUse> cache,
                             std::int64_t goes_back = 0);

  /// Where a prompt leaves what is cached, without using any of it.
  PrefixCache::Match look_up(CacheScope scope, const PromptView& prompt) {
    return prefixes_.find(scope, prompt, 0);
  }

  /// Promises more, where that can be.
  bool promise(KvUse& use, std::int64_t tokens);

  /// Gets pages for n more tokens, which are promised.
  void reserve(KvUse& use, std::int64_t n);

  /// Keeps those pages of a text that its tokens [first, last) completed. `text`: what the
  /// sequence holds, or more of it; of a reply too where the model has one arithmetic.
  void keep_pages(KvUse& use, const PromptView& text, std::int64_t first, std::int64_t last);

  /// Keeps the page on which the text ends, if it ends within one that the sequence still has,
  /// which is not written any more.
  void keep_end(KvUse& use, const PromptView& text);

  /// The sequence has ended: its pages are free, or cached alone.
  void end(KvUse& use);

  /// Forgets what is cached and not in use, and gives memory back to the system.
  void clear_cache();

  KvCache& cache() { return *cache_; }
  const PrefixCache& prefixes() const { return prefixes_; }
  std::int64_t page_tokens() const { return cache_->options().page_tokens; }

 private:
  void drop_what_ends_in_a_block(PrefixCache::Match& match, const PromptView& prompt,
                                 bool within_pages) const;
  std::int64_t continuable_tokens(const PromptView& prompt, std::int64_t n) const;
  void adopt_tail(KvUse& use, const PrefixCache::Match& match);
  bool make_room(std::uint64_t bytes);
  MemoryClaim claim_of(const KvUse& use) const;
  bool is_safe() const;
  std::uint64_t sliding_bytes(const KvUse& use) const;

  std::uint64_t limit_;
  std::int64_t step_rows_;
  bool blocks_on_all_layers_;
  std::unique_ptr<KvCache> cache_;
  PrefixCache prefixes_;
  std::vector<KvUse*> uses_;
};

}  // namespace pleiad
