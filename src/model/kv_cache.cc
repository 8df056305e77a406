#include "model/kv_cache.h"

#include <algorithm>

#include "base/check.h"
#include "base/error.h"

namespace pleiad {

KvCache::KvCache(Backend& backend, const std::vector<KvLayerShape>& layers,
                 const KvCacheOptions& options)
    : backend_(backend), options_(options) {
  CHECK(options.page_tokens > 0);
  const bool quantized = options.type == KvType::q8_0 || options.type == KvType::q4_0;
  for (const KvLayerShape& layer : layers) {
    if (quantized && layer.head_dim % 32 != 0) {
      throw Error("a quantized cache needs heads of a multiple of 32 values, this model's have {}",
                  layer.head_dim);
    }
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

std::byte* KvCache::take_page(std::size_t group) {
  Group& g = groups_[group];
  if (g.free.empty()) {
    g.pages.push_back(backend_.allocate(g.page_bytes));
    // Room for every page there is: giving one back never allocates.
    g.free.reserve(g.pages.capacity());
    return g.pages.back()->data();
  }
  std::byte* page = g.free.back();
  g.free.pop_back();
  return page;
}

void KvCache::give_back(std::size_t group, std::byte* page) { groups_[group].free.push_back(page); }

std::uint64_t KvCache::used_bytes() const {
  std::uint64_t bytes = 0;
  for (const Group& group : groups_) {
    bytes += (group.pages.size() - group.free.size()) * group.page_bytes;
  }
  return bytes;
}

std::uint64_t KvCache::allocated_bytes() const {
  std::uint64_t bytes = 0;
  for (const Group& group : groups_) bytes += group.pages.size() * group.page_bytes;
  return bytes;
}

std::uint64_t KvCache::bytes_for(std::int64_t n) const {
  std::uint64_t bytes = 0;
  for (const Group& group : groups_) {
    const std::int64_t pages = (n + options_.page_tokens - 1) / options_.page_tokens;
    // A window lies across one page more than its length fills.
    const std::int64_t most =
        group.window > 0 ? (group.window + options_.page_tokens - 2) / options_.page_tokens + 1
                         : pages;
    bytes += static_cast<std::uint64_t>(std::min(pages, most)) * group.page_bytes;
  }
  return bytes;
}

KvSequence::KvSequence(KvCache& cache)
    : cache_(cache), tables_(cache.n_groups()), first_kept_(cache.n_groups(), 0) {}

KvSequence::~KvSequence() {
  for (std::size_t group = 0; group < tables_.size(); ++group) {
    for (std::byte* page : tables_[group]) {
      if (page) cache_.give_back(group, page);
    }
  }
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
      std::byte*& entry = tables_[group][static_cast<std::size_t>(page)];
      cache_.give_back(group, entry);
      entry = nullptr;
    }
    first_kept_[group] = std::max(first_kept_[group], needed);
  }
}

void KvSequence::reserve(std::int64_t n) {
  release_passed_pages();
  reserved_ = std::max(reserved_, length_ + n);
  const std::int64_t page_tokens = cache_.options().page_tokens;
  const auto n_pages = static_cast<std::size_t>((reserved_ + page_tokens - 1) / page_tokens);
  for (std::size_t group = 0; group < tables_.size(); ++group) {
    while (tables_[group].size() < n_pages) tables_[group].push_back(cache_.take_page(group));
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
      if (tables_[group].back()) cache_.give_back(group, tables_[group].back());
      tables_[group].pop_back();
    }
    first_kept_[group] =
        std::min(first_kept_[group], static_cast<std::int64_t>(tables_[group].size()));
  }
  length_ = n;
  reserved_ = n;
  if (anchor_ != INT64_MAX) anchor_ = std::min(anchor_, n);
}

}  // namespace pleiad
