#pragma once

#include <cstdint>
#include <memory>
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
};

class KvCache;

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

 private:
  std::int64_t first_needed_page(std::size_t group, std::int64_t next_position) const;
  void release_passed_pages();

  KvCache& cache_;
  std::vector<std::vector<std::byte*>> tables_;  // by group; null: given back
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

  /// Bytes that a sequence of n positions holds once it is that long.
  std::uint64_t bytes_for(std::int64_t n) const;

 private:
  friend class KvSequence;

  struct Group {
    int window = 0;
    std::size_t page_bytes = 0;
    std::vector<std::unique_ptr<Buffer>> pages;
    std::vector<std::byte*> free;
  };
  struct Place {
    std::size_t group = 0;
    KvLayout layout;
  };

  std::byte* take_page(std::size_t group);
  void give_back(std::size_t group, std::byte* page);

  Backend& backend_;
  KvCacheOptions options_;
  std::vector<Group> groups_;
  std::vector<Place> places_;
};

}  // namespace pleiad
