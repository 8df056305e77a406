#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/json.h"

namespace pleiad::constrain {

/// Where the parts of a schema stand within each other, and which of them refer to which.
class SchemaPlaces {
 public:
  /// A value that may be a schema; what no keyword of the standard holds is looked at too, since
  /// references may lead there.
  struct Place {
    const Json* part = nullptr;
    const Place* around = nullptr;  // the schema that it stands in; null: it is the root
    std::string_view keyword;       // of that schema, in which it stands
    std::string step;               // from there, a JSON pointer: "/properties/age"
  };

  /// `root` lives as long as this, and is not changed.
  explicit SchemaPlaces(const Json& root);
  SchemaPlaces(const SchemaPlaces&) = delete;
  SchemaPlaces& operator=(const SchemaPlaces&) = delete;

  /// Of a JSON pointer; null where no part stands there.
  const Place* at(const std::string& pointer) const;

  /// The parts whose "$ref", "$dynamicRef" or "$recursiveRef" names this one.
  const std::vector<const Place*>& referring_to(const Place& place) const;

  /// All that lead to a part: itself, and each that refers to one that it stands in, or to a part
  /// that such a one stands in.
  std::vector<const Place*> leading_to(const Place& place) const;

 private:
  void add(const Json& part, const Place* around, std::string_view keyword, std::string step);
  void add_references();

  const Json& root_;
  std::deque<Place> places_;
  std::unordered_map<const Json*, const Place*> by_part_;
  std::unordered_map<const Place*, std::vector<const Place*>> referring_;
};

/// The JSON pointer of a part.
std::string pointer_of(const SchemaPlaces::Place& place);

}  // namespace pleiad::constrain
