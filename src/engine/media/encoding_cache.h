#pragma once

#include <compare>
#include <cstdint>
#include <list>
#include <map>

#include "engine/cache_scope.h"
#include "engine/media/prompt_media.h"

namespace pleiad {

/// A picture or a clip of sound as one cache scope knows it.
struct EncodingKey {
  CacheScope scope = CacheScope::common;
  MediaKey media = {};

  std::strong_ordering operator<=>(const EncodingKey&) const = default;
  bool operator==(const EncodingKey&) const = default;
};

/// Encoded pictures and clips, so that one which comes again is not encoded again. The least
/// recently used ones go where there would be more bytes than the limit; one that is larger is not
/// kept at all. What a scope has sent can be found by that scope alone.
class EncodingCache {
 public:
  explicit EncodingCache(std::uint64_t limit) : limit_(limit) {}

  /// Null where it is not there; counts as used now.
  MediaRows find(const EncodingKey& key);
  void keep(const EncodingKey& key, MediaRows rows);
  void clear();

  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t limit() const { return limit_; }
  std::size_t size() const { return places_.size(); }

 private:
  struct Entry {
    EncodingKey key;
    MediaRows rows;
  };
  using Entries = std::list<Entry>;
  void remove(Entries::iterator entry);

  std::uint64_t limit_;
  std::uint64_t bytes_ = 0;
  Entries entries_;  // the most recently used first
  std::map<EncodingKey, Entries::iterator> places_;
};

}  // namespace pleiad
