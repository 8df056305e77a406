#pragma once

#include <cstdint>

#include "constrain/symbol.h"
#include "constrain/tokens/plain_characters.h"

namespace pleiad::constrain {

/// Sets of ways through a form, by number from 0 on: what reading a symbol makes of one is another.
/// Of sets above a place that is not known, where a way may end: what goes on from there is
/// somebody else's to find.
class ReadSets {
 public:
  using Id = std::int32_t;
  static constexpr Id kDead = -1;

  virtual ~ReadSets() = default;

  virtual Id read(Id from, Symbol symbol) = 0;
  /// The kinds of characters that may follow where a way ends at the set, with kNotPlain for all
  /// else; 0 where none ends. May have kinds that do not.
  virtual KindSet behind_end(Id id) const = 0;
  /// See Threads.
  virtual std::uint32_t deepest(Id id) const = 0;
  /// Whether there may be many more sets.
  virtual bool has_room() const = 0;
};

}  // namespace pleiad::constrain
