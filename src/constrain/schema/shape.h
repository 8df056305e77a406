#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace pleiad::constrain {

/// Types of values, a bit each. A number is an integer or has a fraction.
using TypeSet = std::uint8_t;
inline constexpr TypeSet kNull = 1, kBoolean = 2, kObject = 4, kArray = 8, kString = 16,
                         kInteger = 32, kFraction = 64;
inline constexpr TypeSet kNumber = kInteger | kFraction;
inline constexpr TypeSet kAllTypes = 127;

/// Of a name in "type"; 0 where it is none.
TypeSet type_named(std::string_view name);
TypeSet type_of(const Json& value);
/// Of the rule of "type": a name or a list of them.
TypeSet types_listed(const Json& rule);
/// What a keyword speaks of, as "minimum" of numbers; 0 where it speaks of all types or is none
/// that decides on values.
TypeSet types_of_keyword(std::string_view keyword);
/// Whether a keyword has a part in which values are valid; the others are annotations, or say how.
bool decides(std::string_view keyword);

/// That a schema holds of a value, or does not.
struct Claim {
  const Json* schema = nullptr;  // a part of the document
  bool holds = true;

  auto operator<=>(const Claim&) const = default;
};
/// All at once. The first one's properties come first.
using Claims = std::vector<Claim>;

/// A keyword of a schema that does not hold.
struct Denial {
  const Json* schema = nullptr;
  std::string_view keyword;  // as the document has it

  bool operator==(const Denial&) const = default;
};

/// Of an object: one of these properties is there, or is not.
struct PresenceClause {
  struct Literal {
    std::string_view name;  // as the document has it
    bool present = true;

    bool operator==(const Literal&) const = default;
  };
  std::vector<Literal> literals;

  bool operator==(const PresenceClause&) const = default;
};

/// What claims say where they leave no choice: of one type or several, all of it at once.
struct Shape {
  TypeSet types = kAllTypes;
  std::vector<const Json*> schemas;  // whose own keywords hold, but those that apply others here
  std::vector<Denial> denials;
  std::vector<PresenceClause> clauses;
  struct PropertyClaim {
    std::string_view name;
    Claim claim;

    bool operator==(const PropertyClaim&) const = default;
  };
  std::vector<PropertyClaim> properties;  // where they are there
  Claims every_item;
  struct ItemClaim {
    Claim claim;
    const Json* schema = nullptr;  // whose "items" does not hold

    bool operator==(const ItemClaim&) const = default;
  };
  std::vector<ItemClaim> some_item;  // of each claim one item at least
  /// That a schema applies another one that holds: what this looks at is evaluated in the other's
  /// eyes too. Only where the document has keywords that ask for it.
  struct Application {
    const Json* by = nullptr;
    const Json* applied = nullptr;

    bool operator==(const Application&) const = default;
  };
  std::vector<Application> applications;

  bool operator==(const Shape&) const = default;
};

/// A part that asks something of it; null where none does.
const Json* first_part(const Shape& shape);

}  // namespace pleiad::constrain
