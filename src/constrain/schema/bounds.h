#pragma once

#include <compare>
#include <optional>

#include "base/json.h"
#include "constrain/automaton.h"
#include "constrain/schema/context.h"
#include "constrain/schema/shape.h"
#include "constrain/texts/number.h"

namespace pleiad::constrain {

/// The strictest bounds of a number: those that hold, and the contrary of those that do not.
class NumberBounds {
 public:
  void add_least(const Json& number, bool exclusive);
  void add_most(const Json& number, bool exclusive);
  /// Those of a schema's keywords, which live as long as this.
  void add(const Json& schema);
  /// Where the denied keyword is such a bound.
  void add(const Denial& denial);

  std::optional<Bound> least() const {
    return least_ ? Bound::from(*least_, least_exclusive_) : std::nullopt;
  }
  std::optional<Bound> most() const {
    return most_ ? Bound::from(*most_, most_exclusive_) : std::nullopt;
  }
  bool are_exclusive() const { return least_exclusive_ || most_exclusive_; }
  /// Whether no number is within them.
  bool exclude_all() const;

 private:
  static bool is_within(const Json* bound, const Json& number, bool exclusive,
                        std::partial_ordering when);

  const Json* least_ = nullptr;
  const Json* most_ = nullptr;
  bool least_exclusive_ = false;
  bool most_exclusive_ = false;
};

/// The strictest bounds of two keywords ("minItems" and "maxItems", say) on how many there may be,
/// denied ones among them. `need` is greater than `room` where they exclude each other.
Counter counts(SchemaContext& context, const Shape& shape, const char* least, const char* most);

/// The types of a shape, of these, of which its bounds leave no value.
TypeSet types_out_of_bounds(SchemaContext& context, const Shape& shape, TypeSet types);

}  // namespace pleiad::constrain
