#include "model/kv_cache.h"

#include <algorithm>

#include "base/check.h"
#include "base/error.h"

namespace pleiad {

KvCache::KvCache(Backend& backend, const std::vector<KvLayerShape>& layers,
                 const KvCacheOptions& options)
    : backend_(backend), options_(options) {
  CHECK(options.page_tokens > 0);
  for (const KvLayerShape& layer : layers) {
    auto group = std::find_if(groups_.begin(), groups_.end(),
                              [&](const Group& g) { return g.window == layer.window; });
    if (group == groups_.end()) {
      groups_.emplace_back();
      groups_.back().window = layer.window;
      group = groups_.end() - 1;
    }
    KvLayout layout;
    layout.type = kv_type_of(options.type, layer.window > 0);
    constexpr int kGroup = 32;  // values that share a scale
    if (options.type >= KvType::q8_0 && layer.head_dim % kGroup != 0) {
      throw Error("a cache in {} needs heads of a multiple of {} values, these have {}",
                  name(options.type), kGroup, layer.head_dim);
    }
    layout.page_tokens = options.page_tokens;
    layout.n_kv_heads = layer.n_kv_heads;
    layout.head_dim = layer.head_dim;
    layout.key_offset = group->page_bytes;
    layout.value_offset = group->page_bytes + layout.block_bytes();
    group->page_bytes += 2 * layout.block_bytes();
    places_.push_back({static_cast<std::size_t>(group - groups_.begin()), layout});
  }
}

KvCache::~KvCache() = default;

KvPage* KvCache::take_page(std::size_t group) {
  Group& g = groups_[group];
  if (g.free.empty()) return make_page(g);
  KvPage* page = g.free.back();
  g.free.pop_back();
  return page;
}

KvPage* KvCache::make_page(Group& group) {
  const std::uint64_t allocated = allocated_bytes();
  if (allocated + group.page_bytes > options_.max_bytes) {
    drop_free_pages(allocated + group.page_bytes - options_.max_bytes);
  }
  if (group.bare.empty()) {
    group.pages.push_back(std::make_unique<KvPage>());
    group.bare.push_back(group.pages.back().get());
    // Room for every page there is: giving one back never allocates.
    group.free.reserve(group.pages.capacity());
    group.bare.reserve(group.pages.capacity());
  }
  KvPage* page = group.bare.back();
  page->memory = backend_.allocate(group.page_bytes);
  group.bare.pop_back();
  return page;
}

// Of all groups, until so much memory is given back or none is free.
void KvCache::drop_free_pages(std::uint64_t wanted) {
  std::uint64_t dropped = 0;
  for (Group& group : groups_) {
    while (dropped < wanted && !group.free.empty()) {
      KvPage* page = group.free.back();
      group.free.pop_back();
      page->memory.reset();
      group.bare.push_back(page);
      dropped += group.page_bytes;
    }
  }
}

void KvCache::add_to_sequence(std::size_t group, KvPage* page) {
  if (page->n_sequences++ == 0) ++groups_[group].n_in_sequences;
}

void KvCache::remove_from_sequence(std::size_t group, KvPage* page) {
  if (--page->n_sequences == 0) --groups_[group].n_in_sequences;
  free_if_unused(groups_[group], page);
}

void KvCache::add_to_block(std::size_t group, KvPage* page) {
  if (page->n_blocks++ == 0) ++groups_[group].n_in_blocks;
}

void KvCache::remove_from_block(std::size_t group, KvPage* page) {
  if (--page->n_blocks == 0) --groups_[group].n_in_blocks;
  free_if_unused(groups_[group], page);
}

void KvCache::free_if_unused(Group& group, KvPage* page) {
  if (page->n_sequences == 0 && page->n_blocks == 0) group.free.push_back(page);
}

std::uint64_t KvCache::used_bytes() const {
  std::uint64_t bytes = 0;
  for (const Group& group : groups_) bytes += group.n_used() * group.page_bytes;
  return bytes;
}

std::uint64_t KvCache::allocated_bytes() const {
  std::uint64_t bytes = 0;
  for (const Group& group : groups_) bytes += group.n_allocated() * group.page_bytes;
  return bytes;
}

std::uint64_t KvCache::block_bytes() const {
  std::uint64_t bytes = 0;
  for (const Group& group : groups_) bytes += group.n_in_blocks * group.page_bytes;
  return bytes;
}

std::uint64_t KvCache::lasting_bytes() const {
  std::uint64_t bytes = 0;
  for (const Group& group : groups_) {
    if (group.window == 0) bytes += group.n_in_sequences * group.page_bytes;
  }
  return bytes;
}

std::uint64_t KvCache::bytes_for(std::int64_t n) const {
  std::uint64_t bytes = 0;
  for (const Group& group : groups_) {
    const std::int64_t pages = pages_for(n);
    // A window lies across one page more than its length fills.
    const std::int64_t most =
        group.window > 0 ? (group.window + options_.page_tokens - 2) / options_.page_tokens + 1
                         : pages;
    bytes += static_cast<std::uint64_t>(std::min(pages, most)) * group.page_bytes;
  }
  return bytes;
}

std::uint64_t KvCache::lasting_bytes_for(std::int64_t n) const {
  std::uint64_t bytes = 0;
  for (const Group& group : groups_) {
    if (group.window == 0) bytes += static_cast<std::uint64_t>(pages_for(n)) * group.page_bytes;
  }
  return bytes;
}

std::uint64_t KvCache::sliding_bytes_for(std::int64_t n, std::int64_t step) const {
  std::uint64_t bytes = 0;
  for (const Group& group : groups_) {
    if (group.window == 0) continue;
    const std::int64_t most = pages_for(group.window - 1 + step) + 1;
    bytes += static_cast<std::uint64_t>(std::min(pages_for(n), most)) * group.page_bytes;
  }
  return bytes;
}

std::uint64_t KvCache::bytes_to_reserve(const KvSequence& sequence, std::int64_t n) const {
  std::uint64_t bytes = 0;
  const std::int64_t wanted = pages_for(sequence.length() + n);
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    const auto held = static_cast<std::int64_t>(sequence.pages(group).size());
    bytes += static_cast<std::uint64_t>(std::max<std::int64_t>(0, wanted - held)) *
             groups_[group].page_bytes;
  }
  return bytes;
}

KvBlock::KvBlock(KvCache& cache, std::vector<KvPage*> pages)
    : cache_(&cache), pages_(std::move(pages)) {
  for (std::size_t group = 0; group < pages_.size(); ++group) {
    cache_->add_to_block(group, pages_[group]);
  }
}

KvBlock::~KvBlock() {
  for (std::size_t group = 0; group < pages_.size(); ++group) {
    cache_->remove_from_block(group, pages_[group]);
  }
}

bool KvBlock::in_use() const {
  return std::any_of(pages_.begin(), pages_.end(),
                     [](const KvPage* page) { return page->n_sequences > 0; });
}

std::uint64_t KvBlock::bytes_held_alone() const {
  std::uint64_t bytes = 0;
  for (std::size_t group = 0; group < pages_.size(); ++group) {
    if (!pages_[group]->is_shared()) bytes += cache_->groups_[group].page_bytes;
  }
  return bytes;
}

KvSequence::KvSequence(KvCache& cache)
    : cache_(cache),
      tables_(cache.n_groups()),
      pages_(cache.n_groups()),
      first_kept_(cache.n_groups(), 0) {}

KvSequence::~KvSequence() {
  for (std::size_t group = 0; group < tables_.size(); ++group) {
    for (std::size_t page = 0; page < pages_[group].size(); ++page) release(group, page);
  }
}

void KvSequence::append(std::size_t group, KvPage* page) {
  pages_[group].push_back(page);
  tables_[group].push_back(page ? page->memory->data() : nullptr);
  if (page) cache_.add_to_sequence(group, page);
}

void KvSequence::release(std::size_t group, std::size_t page) {
  KvPage*& entry = pages_[group][page];
  if (entry) cache_.remove_from_sequence(group, entry);
  entry = nullptr;
  tables_[group][page] = nullptr;
}

KvBlock KvSequence::share(std::int64_t page) {
  CHECK((page + 1) * cache_.options().page_tokens <= length_, "page {} of {} positions", page,
        length_);
  return block_of(page);
}

KvBlock KvSequence::share_end(std::int64_t page) {
  CHECK(page * cache_.options().page_tokens < length_, "page {} of {} positions", page, length_);
  return block_of(page);
}

KvBlock KvSequence::block_of(std::int64_t page) {
  std::vector<KvPage*> pages;
  for (const auto& of_group : pages_) {
    pages.push_back(of_group[static_cast<std::size_t>(page)]);
    CHECK(pages.back(), "page {} is given back", page);
  }
  return KvBlock(cache_, std::move(pages));
}

void KvSequence::adopt(std::span<const KvBlock* const> blocks) {
  CHECK(length_ == 0 && reserved_ == 0);
  length_ = static_cast<std::int64_t>(blocks.size()) * cache_.options().page_tokens;
  reserved_ = length_;
  for (std::size_t group = 0; group < tables_.size(); ++group) {
    first_kept_[group] = first_needed_page(group, length_);
    for (std::size_t page = 0; page < blocks.size(); ++page) {
      const bool needed = static_cast<std::int64_t>(page) >= first_kept_[group];
      append(group, needed ? blocks[page]->pages_[group] : nullptr);
    }
    first_kept_[group] =
        std::min(first_kept_[group], static_cast<std::int64_t>(tables_[group].size()));
  }
}

void KvSequence::adopt_copy(const KvBlock& block, std::int64_t n) {
  const std::int64_t page_tokens = cache_.options().page_tokens;
  CHECK(length_ == reserved_ && length_ % page_tokens == 0 && n > 0 && n < page_tokens,
        "{} positions of a page after {}", n, length_);
  for (std::size_t group = 0; group < tables_.size(); ++group) {
    append(group, cache_.take_page(group));
    cache_.backend_.copy_page(tables_[group].back(), block.pages_[group]->memory->data(),
                              cache_.groups_[group].page_bytes);
  }
  length_ += n;
  reserved_ = length_;
}

bool KvSequence::holds(std::int64_t page) const {
  return std::all_of(pages_.begin(), pages_.end(), [&](const std::vector<KvPage*>& of_group) {
    return page < std::ssize(of_group) && of_group[static_cast<std::size_t>(page)];
  });
}

std::uint64_t KvSequence::lasting_bytes() const {
  std::uint64_t bytes = 0;
  for (std::size_t group = 0; group < pages_.size(); ++group) {
    if (cache_.window(group) == 0) bytes += pages_[group].size() * cache_.groups_[group].page_bytes;
  }
  return bytes;
}

std::uint64_t KvSequence::lasting_bytes_alone() const {
  std::uint64_t bytes = 0;
  for (std::size_t group = 0; group < pages_.size(); ++group) {
    if (cache_.window(group) > 0) continue;
    for (const KvPage* page : pages_[group]) {
      if (page->n_sequences == 1) bytes += cache_.groups_[group].page_bytes;
    }
  }
  return bytes;
}

std::int64_t KvSequence::first_needed_page(std::size_t group, std::int64_t next_position) const {
  const int window = cache_.window(group);
  if (window == 0) return 0;
  return std::max<std::int64_t>(0, next_position - window + 1) / cache_.options().page_tokens;
}

void KvSequence::release_passed_pages() {
  const std::int64_t earliest = std::min(anchor_, length_);
  for (std::size_t group = 0; group < tables_.size(); ++group) {
    const std::int64_t needed = first_needed_page(group, earliest);
    for (std::int64_t page = first_kept_[group]; page < needed; ++page) {
      release(group, static_cast<std::size_t>(page));
    }
    first_kept_[group] = std::max(first_kept_[group], needed);
  }
}

void KvSequence::check_writable() const {
  const std::int64_t page_tokens = cache_.options().page_tokens;
  if (length_ % page_tokens == 0) return;  // a page of its own follows
  for (const auto& of_group : pages_) {
    CHECK(!of_group[static_cast<std::size_t>(length_ / page_tokens)]->is_shared(),
          "a page that others read would be written from position {}", length_);
  }
}

void KvSequence::reserve(std::int64_t n) {
  if (n > 0) check_writable();
  release_passed_pages();
  reserved_ = std::max(reserved_, length_ + n);
  const std::int64_t page_tokens = cache_.options().page_tokens;
  const auto n_pages = static_cast<std::size_t>((reserved_ + page_tokens - 1) / page_tokens);
  for (std::size_t group = 0; group < tables_.size(); ++group) {
    while (tables_[group].size() < n_pages) append(group, cache_.take_page(group));
  }
}

void KvSequence::advance(std::int64_t n) {
  CHECK(length_ + n <= reserved_, "{} + {} of {}", length_, n, reserved_);
  length_ += n;
}

bool KvSequence::can_truncate(std::int64_t n) const {
  if (n < 0 || n > length_) return false;
  if (n == 0) return true;  // starting anew needs nothing
  for (std::size_t group = 0; group < tables_.size(); ++group) {
    if (first_needed_page(group, n) < first_kept_[group]) return false;
  }
  return true;
}

void KvSequence::truncate(std::int64_t n) {
  CHECK(can_truncate(n), "{} of {}", n, length_);
  const std::int64_t page_tokens = cache_.options().page_tokens;
  const auto n_pages = static_cast<std::size_t>((n + page_tokens - 1) / page_tokens);
  for (std::size_t group = 0; group < tables_.size(); ++group) {
    while (tables_[group].size() > n_pages) {
      release(group, tables_[group].size() - 1);
      tables_[group].pop_back();
      pages_[group].pop_back();
    }
    CHECK(n % page_tokens == 0 || !pages_[group].back()->is_shared(),
          "a page that others read would be written from position {}", n);
    first_kept_[group] =
        std::min(first_kept_[group], static_cast<std::int64_t>(tables_[group].size()));
  }
  length_ = n;
  reserved_ = n;
  if (anchor_ != INT64_MAX) anchor_ = std::min(anchor_, n);
}

}  // namespace pleiad
