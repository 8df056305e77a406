#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "engine/cache_scope.h"
#include "engine/media/prompt_media.h"
#include "model/kv_cache.h"
#include "text/token.h"

namespace pleiad {

/// A picture or a clip of sound, some of whose soft tokens stand on a page.
struct PageMedia {
  std::int64_t first = 0;  // its first soft token, from the page's beginning on; may lie before it
  MediaKey key = {};

  std::strong_ordering operator<=>(const PageMedia&) const = default;
  bool operator==(const PageMedia&) const = default;
};

/// What stands on one page of a text, or on its beginning where the text ends there. Pages are the
/// same where their keys are, and those of all pages before them.
struct PageKey {
  std::vector<text::TokenId> tokens;
  std::vector<PageMedia> media;  // what placeholder tokens stand for

  std::strong_ordering operator<=>(const PageKey&) const = default;
  bool operator==(const PageKey&) const = default;
};

/// Of page `page` of a prompt, or of what there is of it.
PageKey page_key(const PromptView& prompt, std::int64_t page, std::int64_t page_tokens);

/// Pages of texts that were computed (prompts, and replies after them), found again by content: for
/// each scope a radix tree with a page at every node, of all groups, sliding ones too. So every
/// whole page that two texts of a scope share is reusable, wherever they part, and of the page on
/// which they do a copy of what they share. Where a text ends within a page, that page is a leaf
/// which holds so much. The least recently used leaves of all scopes go first; a page that
/// sequences hold lives on with them.
class PrefixCache {
 public:
  explicit PrefixCache(std::int64_t page_tokens) : page_tokens_(page_tokens) {}

  struct Match {
    std::vector<const KvBlock*> blocks;  // whole pages; good until the next change of the tree
    /// Where the page after them agrees at its beginning: it, as good as they are, and how far.
    const KvBlock* tail = nullptr;
    std::int64_t tail_tokens = 0;
    /// As far as the nearest cached text of the scope agrees. Beyond the whole pages that is the
    /// nearest by its tokens: where these end differently, another one may agree further that has
    /// the same media on that page.
    std::int64_t common_tokens = 0;
    std::vector<text::TokenId> next;  // what stands there in the cache, to the page's end
  };
  /// The longest cached beginning of a prompt, at most `most_tokens` of it (`common_tokens`
  /// goes on beyond). These pages count as used now.
  Match find(CacheScope scope, const PromptView& prompt, std::int64_t most_tokens);

  /// How many whole pages of the prompt are cached; changes nothing.
  std::int64_t count(CacheScope scope, const PromptView& prompt, std::int64_t most_pages) const;

  /// Adds page `page` of a text, or what there is of it. False where one of the pages before it is
  /// missing: then it could never be found. What is there already stays, but for a page
  /// that ends sooner.
  template <typename MakeBlock>
  bool insert(CacheScope scope, const PromptView& text, std::int64_t page, MakeBlock&& make_block) {
    Node* parent = descend(scope, text, page);
    if (!parent) return false;
    PageKey key = page_key(text, page, page_tokens_);
    if (Node* found = find_holder(*parent, key)) {
      use(*found);
    } else {
      add(*parent, std::move(key), make_block());
    }
    return true;
  }

  /// Forgets the least recently used leaf, one that no sequence holds if there is one.
  /// False where the tree is empty.
  bool evict();

  /// Forgets everything that no sequence holds and nothing in use depends on.
  void clear();

  std::size_t n_pages() const { return n_pages_; }
  std::size_t n_scopes() const { return roots_.size(); }  // with pages
  std::uint64_t n_evicted() const { return n_evicted_; }

 private:
  struct Node {
    Node* parent = nullptr;                 // null: the root of a scope, which is no page
    const PageKey* key = nullptr;           // where the parent keeps it
    CacheScope scope = CacheScope::common;  // of a root
    KvBlock block;
    std::uint64_t used = 0;
    std::map<PageKey, std::unique_ptr<Node>> children;
  };
  using Children = std::map<PageKey, std::unique_ptr<Node>>;

  /// The node of the page before, or null; a root is made where there is none.
  Node* descend(CacheScope scope, const PromptView& prompt, std::int64_t page);
  /// The child that has all of the key, or null.
  static Node* find_holder(Node& parent, const PageKey& key);
  void add(Node& parent, PageKey key, KvBlock block);
  void use(Node& node);
  void remove(Node& leaf);
  void find_tail(Node& node, const PromptView& prompt, std::int64_t page, std::int64_t most_tokens,
                 Match& match);
  void take_tail(Node& node, std::int64_t n_tokens, Match& match);

  using Age = std::pair<std::uint64_t, Node*>;

  std::int64_t page_tokens_;
  std::map<CacheScope, Node> roots_;
  std::set<Age> leaves_;  // the least recently used first
  std::uint64_t clock_ = 0;
  std::size_t n_pages_ = 0;
  std::uint64_t n_evicted_ = 0;
};

}  // namespace pleiad
