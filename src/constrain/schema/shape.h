#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace pleiad::constrain {

inline constexpr std::uint32_t kUnlimited = std::numeric_limits<std::uint32_t>::max();

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

/// Of a rule: a name or a list of them, the strings among it.
std::vector<std::string_view> names_of(const Json& rule);

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
  TypeSet excluded = 0;  // of these, those of which what it says is seen to leave no value
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
  /// That so many items have a claim, of those from an index on.
  struct ItemClaim {
    Claim claim;
    const Json* schema = nullptr;  // whose keyword it is, or whose does not hold
    std::string_view keyword;
    std::size_t from = 0;
    std::uint32_t least = 1;
    std::uint32_t most = kUnlimited;

    bool operator==(const ItemClaim&) const = default;
  };
  std::vector<ItemClaim> some_items;
  /// That there is an item of this index, which has the claim.
  struct PlaceClaim {
    std::size_t index = 0;
    Claim claim;

    bool operator==(const PlaceClaim&) const = default;
  };
  std::vector<PlaceClaim> places;
  /// That a schema applies another one that holds: what this looks at is evaluated in the other's
  /// eyes too. Only where the document has keywords that ask for it.
  struct Application {
    const Json* by = nullptr;
    const Json* applied = nullptr;

    bool operator==(const Application&) const = default;
  };
  std::vector<Application> applications;
  bool may_evaluate_more = false;  // by branches of "anyOf" that may hold, too, and are left out
  /// The schemas that hold in it, those among them that only apply others too. Equal shapes may
  /// have come of different ones, and are of all of these then.
  struct Sources {
    std::vector<const Json*> schemas;

    bool operator==(const Sources&) const { return true; }
  };
  Sources sources;

  bool operator==(const Shape&) const = default;
};

/// Whether a rule of "const" or "enum" has objects or lists, and is denied by the ways in which
/// values differ from these; else a shape denies it as it stands, but for such values.
bool denies_parts(std::string_view keyword, const Json& rule);

/// Whether a shape says of a property that it is there, or that it is not.
bool has_literal(const Shape& shape, std::string_view name, bool present);

/// A part that asks something of it; null where none does.
const Json* first_part(const Shape& shape);

}  // namespace pleiad::constrain
