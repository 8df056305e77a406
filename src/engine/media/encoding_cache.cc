#include "engine/media/encoding_cache.h"

#include <iterator>
#include <utility>

namespace pleiad {
namespace {

std::uint64_t bytes_of(const MediaRows& rows) { return rows->size() * sizeof(float); }

}  // namespace

MediaRows EncodingCache::find(const EncodingKey& key) {
  const auto place = places_.find(key);
  if (place == places_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, place->second);
  return place->second->rows;
}

void EncodingCache::keep(const EncodingKey& key, MediaRows rows) {
  if (const auto place = places_.find(key); place != places_.end()) remove(place->second);
  const std::uint64_t added = bytes_of(rows);
  if (added > limit_) return;
  while (bytes_ + added > limit_) remove(std::prev(entries_.end()));
  entries_.push_front({key, std::move(rows)});
  places_[key] = entries_.begin();
  bytes_ += added;
}

void EncodingCache::clear() {
  places_.clear();
  entries_.clear();
  bytes_ = 0;
}

void EncodingCache::remove(Entries::iterator entry) {
  bytes_ -= bytes_of(entry->rows);
  places_.erase(entry->key);
  entries_.erase(entry);
}

}  // namespace pleiad
