#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "backend/backend.h"

namespace pleiad {

/// What one layer that owns keys and values needs of the cache.
struct KvLayerShape {
  int n_kv_heads = 0;
  int head_dim = 0;
  int window = 0;  // positions visible to a query, itself included; 0: all before it
};

struct KvCacheOptions {
  KvType type = KvType::bf16;
  int page_tokens = 64;
  /// Free pages are kept for the next sequence while all pages together take no
  /// more than this; beyond it they give way to those that are needed.
  std::uint64_t max_bytes = UINT64_MAX;
};

class KvCache;

/// A page of one group, and who needs it.
struct KvPage {
  std::unique_ptr<Buffer> memory;
  int n_sequences = 0;
  int n_blocks = 0;

  bool is_shared() const { return n_sequences + n_blocks > 1; }
};

/// The pages of all groups for the same positions, kept for other sequences: nobody writes
/// them any more. Must not outlive the cache.
class KvBlock {
 public:
  KvBlock() = default;
  KvBlock(KvBlock&& other) noexcept : cache_(other.cache_), pages_(std::move(other.pages_)) {
    other.pages_.clear();
  }
  KvBlock& operator=(KvBlock&& other) noexcept {
    std::swap(cache_, other.cache_);
    std::swap(pages_, other.pages_);
    return *this;
  }
  ~KvBlock();

  /// Another one of the same pages.
  KvBlock again() const { return KvBlock(*cache_, pages_); }

  /// True while a sequence holds one of its pages.
  bool in_use() const;
  /// What is free once the block dies.
  std::uint64_t bytes_held_alone() const;

 private:
  friend class KvSequence;
  KvBlock(KvCache& cache, std::vector<KvPage*> pages);

  KvCache* cache_ = nullptr;
  std::vector<KvPage*> pages_;  // by group
};

/// The place of one sequence in the cache: its pages by group, and how many
/// positions are filled. Gives its pages back when it dies; must not outlive
/// the cache.
class KvSequence {
 public:
  explicit KvSequence(KvCache& cache);
  ~KvSequence();
  KvSequence(const KvSequence&) = delete;
  KvSequence& operator=(const KvSequence&) = delete;

  /// Positions that hold keys and values.
  std::int64_t length() const { return length_; }

  /// Gets pages for n more positions, and gives those back that no window
  /// reaches any more. To be called before a step: a step allocates nothing.
  void reserve(std::int64_t n);
  std::int64_t reserved() const { return reserved_; }

  /// Positions [length, length + n) are filled now.
  void advance(std::int64_t n);

  /// Keeps, from now on, what is needed to go back to `position` or later with
  /// truncate(). Without it only length() itself can be continued once the
  /// windows have moved on.
  void keep_from(std::int64_t position) { anchor_ = position; }

  /// True when the sequence could be cut to n positions and continued there.
  bool can_truncate(std::int64_t n) const;

  /// Forgets all positions from n on; needs can_truncate(n).
  void truncate(std::int64_t n);

  /// Pages by page number, of one group.
  PageTable pages(std::size_t group) const { return tables_[group]; }

  /// The pages of positions [page * page_tokens, (page + 1) * page_tokens), which
  /// must be filled and within every window: to be asked for before the next reserve().
  KvBlock share(std::int64_t page);

  /// The same of a page that is filled in part, or of which others shall read the beginning alone:
  /// by a sequence that is written no more.
  KvBlock share_end(std::int64_t page);

  /// True where no group has given the page back.
  bool holds(std::int64_t page) const;

  /// Begins an empty sequence with the pages of others, the first ones in order.
  void adopt(std::span<const KvBlock* const> blocks);

  /// Then goes on with the first n positions of a page of others, in a copy that is its own: n is
  /// less than a page. May throw std::bad_alloc; then the sequence can only die.
  void adopt_copy(const KvBlock& block, std::int64_t n);

  /// What the pages that no window ever lets go of take: all of them, and those
  /// that no other sequence holds.
  std::uint64_t lasting_bytes() const;
  std::uint64_t lasting_bytes_alone() const;

 private:
  KvBlock block_of(std::int64_t page);
  std::int64_t first_needed_page(std::size_t group, std::int64_t next_position) const;
  void release_passed_pages();
  void check_writable() const;
  void append(std::size_t group, KvPage* page);
  void release(std::size_t group, std::size_t page);

  KvCache& cache_;
  std::vector<std::vector<std::byte*>> tables_;  // by group; null: given back
  std::vector<std::vector<KvPage*>> pages_;      // the same
  std::vector<std::int64_t> first_kept_;         // by group: pages before are gone
  std::int64_t length_ = 0;
  std::int64_t reserved_ = 0;
  std::int64_t anchor_ = INT64_MAX;
};

/// Memory for keys and values, in pages of `page_tokens` positions that are
/// made on demand and reused. Layers with the same window form a group; a page
/// holds the positions of all layers of its group. So a sequence needs one page
/// table a group, and a sliding group keeps only what its window reaches.
class KvCache {
 public:
  KvCache(Backend& backend, const std::vector<KvLayerShape>& layers, const KvCacheOptions& options);
  ~KvCache();
  KvCache(const KvCache&) = delete;
  KvCache& operator=(const KvCache&) = delete;

  const KvCacheOptions& options() const { return options_; }
  std::size_t n_groups() const { return groups_.size(); }
  int window(std::size_t group) const { return groups_[group].window; }

  /// By the index in `layers`.
  std::size_t group_of(std::size_t layer) const { return places_[layer].group; }
  const KvLayout& layout(std::size_t layer) const { return places_[layer].layout; }

  /// Bytes of pages in use, and of pages made.
  std::uint64_t used_bytes() const;
  std::uint64_t allocated_bytes() const;
  /// Of those in use: what blocks hold, whoever else does.
  std::uint64_t block_bytes() const;
  /// Of those in use: what sequences hold in groups without a window, each page once.
  std::uint64_t lasting_bytes() const;

  /// Gives the memory of free pages back.
  void drop_free_pages() { drop_free_pages(UINT64_MAX); }

  /// Bytes that a sequence of n positions holds once it is that long.
  std::uint64_t bytes_for(std::int64_t n) const;

  /// Bytes that a sequence holds at most on its way to n positions, at most
  /// `step` of them at once: in groups without a window, and in the others.
  std::uint64_t lasting_bytes_for(std::int64_t n) const;
  std::uint64_t sliding_bytes_for(std::int64_t n, std::int64_t step) const;

  /// Bytes of the pages that reserve(n) would take for a sequence.
  std::uint64_t bytes_to_reserve(const KvSequence& sequence, std::int64_t n) const;

 private:
  friend class KvBlock;
  friend class KvSequence;

  struct Group {
    int window = 0;
    std::size_t page_bytes = 0;
    std::vector<std::unique_ptr<KvPage>> pages;  // all there ever were
    std::vector<KvPage*> free;                   // with memory
    std::vector<KvPage*> bare;                   // without
    std::size_t n_in_blocks = 0;
    std::size_t n_in_sequences = 0;

    std::size_t n_allocated() const { return pages.size() - bare.size(); }
    std::size_t n_used() const { return n_allocated() - free.size(); }
  };
  struct Place {
    std::size_t group = 0;
    KvLayout layout;
  };

  KvPage* take_page(std::size_t group);
  KvPage* make_page(Group& group);
  void drop_free_pages(std::uint64_t wanted);
  void add_to_sequence(std::size_t group, KvPage* page);
  void remove_from_sequence(std::size_t group, KvPage* page);
  void add_to_block(std::size_t group, KvPage* page);
  void remove_from_block(std::size_t group, KvPage* page);
  void free_if_unused(Group& group, KvPage* page);
  std::int64_t pages_for(std::int64_t n) const {
    return (n + options_.page_tokens - 1) / options_.page_tokens;
  }

  Backend& backend_;
  KvCacheOptions options_;
  std::vector<Group> groups_;
  std::vector<Place> places_;
};

}  // namespace pleiad
