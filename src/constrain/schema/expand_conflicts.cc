// What of a draft excludes what is chosen further: without that, choices that exclude each other
// ("if" by "if" of one property's values, bands of numbers) would be multiplied with each other.
#include <algorithm>
#include <span>

#include "constrain/schema/bounds.h"
#include "constrain/schema/expand.h"

namespace pleiad::constrain {

/// Whether the ways on multiply so that it is worth while to look.
bool Expander::are_many(const Draft& draft) const {
  constexpr std::size_t kFew = 3;
  const std::size_t n = draft.choices.size() + draft.opposites.size() + draft.out_of_reach.size();
  return nested_questions_ == 0 && n >= kFew;
}

/// Excludes the types and the properties of which what a draft says leaves no value. False where
/// nothing is left.
bool Expander::narrow(Draft& draft) {
  Shape& shape = draft.shape;
  if (!are_many(draft)) return shape.types != 0;
  TypeSet spoken_of = 0;
  for (std::size_t i = draft.n_narrowed; i < shape.schemas.size(); ++i) {
    for (const auto& keyword : context_.keywords(*shape.schemas[i])) {
      spoken_of |= types_of_keyword(keyword.name);
    }
  }
  for (std::size_t i = draft.n_narrowed_denials; i < shape.denials.size(); ++i) {
    spoken_of |= types_of_keyword(shape.denials[i].keyword);
  }
  draft.n_narrowed_denials = shape.denials.size();
  spoken_of &= shape.types;
  if (spoken_of != 0) {
    if (!context_.spend(1 + (shape.schemas.size() + shape.denials.size()) / 4)) return false;
    shape.excluded |= types_out_of_bounds(context_, shape, spoken_of);
  }
  if ((shape.types & kObject) != 0) narrow_objects(draft);
  draft.n_narrowed = shape.schemas.size();
  return (shape.types & ~shape.excluded) != 0 && !context_.failed();
}

/// Whether one of the schemas asks of a property what excludes this schema of it.
bool Expander::exclude_value(std::span<const Json* const> schemas, std::string_view name,
                             const Json& value) {
  return std::ranges::any_of(schemas, [&](const Json* schema) {
    const Json* properties = context_.keyword(*schema, "properties");
    const Json* other = properties ? context_.document().member(*properties, name) : nullptr;
    return other && other != &value && are_disjoint(*other, value);
  });
}

/// A property of which two schemas ask what excludes each other is not there; where it has to be,
/// there is no object.
void Expander::narrow_objects(Draft& draft) {
  Shape& shape = draft.shape;
  for (std::size_t i = draft.n_narrowed; i < shape.schemas.size(); ++i) {
    const Json* properties = context_.keyword(*shape.schemas[i], "properties");
    if (!properties || !properties->is_object()) continue;
    for (const auto& item : properties->items()) {
      if (!context_.spend(1 + i)) return;
      const bool is_excluded =
          exclude_value(std::span(shape.schemas).first(i), item.key(), item.value());
      if (!is_excluded || has_literal(shape, item.key(), false)) continue;
      if (has_literal(shape, item.key(), true)) {
        shape.excluded |= kObject;
        return;
      }
      shape.clauses.push_back({{{item.key(), false}}});
    }
  }
}

/// Whether a way on contradicts what a draft says. It may even where this is false.
bool Expander::is_excluded(const Draft& draft, const Option& option) {
  const Shape& shape = draft.shape;
  if (shape.types != kObject || !are_many(draft)) return false;
  return std::ranges::any_of(option.claims, [&](const Claim& claim) {
    return claim.holds ? excludes(shape, *claim.schema) : holds_surely(shape, *claim.schema);
  });
}

/// Whether an object of the shape cannot satisfy the schema, as far as one property tells.
bool Expander::excludes(const Shape& shape, const Json& schema) {
  if (!schema.is_object()) return schema == false;
  const Json* required = context_.keyword(schema, "required");
  const std::vector<std::string_view> names =
      required ? names_of(*required) : std::vector<std::string_view>();
  if (!context_.spend(1 + names.size() * (1 + shape.clauses.size() / 8))) return false;
  if (std::ranges::any_of(names, [&](auto name) { return has_literal(shape, name, false); })) {
    return true;
  }
  const Json* properties = context_.keyword(schema, "properties");
  if (!properties || !properties->is_object()) return false;
  return std::ranges::any_of(properties->items(), [&](const auto& item) {
    if (!context_.spend(1 + (shape.clauses.size() + names.size()) / 8 + shape.schemas.size())) {
      return false;
    }
    const bool is_there =
        has_literal(shape, item.key(), true) || std::ranges::find(names, item.key()) != names.end();
    return is_there && exclude_value(shape.schemas, item.key(), item.value());
  });
}

/// Whether all objects of the shape satisfy the schema, as far as the ways are known in which it
/// does not hold.
bool Expander::holds_surely(const Shape& shape, const Json& schema) {
  if (!schema.is_object()) return schema == true;
  const Opposite& opposite = opposite_of(schema);
  if (!opposite.lost.empty() || !opposite.of_names.empty()) return false;
  return std::ranges::all_of(*opposite.choice, [&](const Option& option) {
    return context_.spend(1 + option.clauses.size() + option.properties.size()) &&
           standing_of(shape, option) == Standing::impossible;
  });
}

}  // namespace pleiad::constrain
