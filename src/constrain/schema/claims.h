#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "constrain/schema/context.h"
#include "constrain/schema/shape.h"

namespace pleiad::constrain {

/// What a shape asks of the value of a property.
Claims property_claims(SchemaContext& context, const Shape& shape, const std::string& name);

/// The same for a property that no schema of the shape names, and in whose name these patterns of
/// "patternProperties" find something, and no others.
Claims other_property_claims(SchemaContext& context, const Shape& shape,
                             const std::set<std::string_view>& patterns);

/// The patterns of all its "patternProperties" that are understood; others are noted. Not many more
/// than `most`.
std::vector<std::string_view> property_patterns(SchemaContext& context, const Shape& shape,
                                                std::size_t most);

/// The names that its schemas list, in their order; `required` ones and those that others depend
/// on behind them.
std::vector<std::string> property_names(SchemaContext& context, const Shape& shape);

/// Whether a name is one of these.
bool names_property(SchemaContext& context, const Shape& shape, std::string_view name);

/// Whether properties of other names may come: see SchemaPolicy::closed_objects.
bool allows_others(SchemaContext& context, const Shape& shape);

/// What it asks of the item at an index; without one, of all behind n_first_items(). `found_by`:
/// schemas whose "contains" evaluates the item.
Claims item_claims(SchemaContext& context, const Shape& shape, std::optional<std::size_t> index,
                   const std::vector<const Json*>& found_by = {});
/// Whether "unevaluatedItems" of the shape see what the "contains" of one of its schemas finds.
bool contains_evaluates(SchemaContext& context, const Shape& shape, const Json* schema);
std::size_t n_first_items(SchemaContext& context, const Shape& shape);

/// The claim that nothing satisfies.
Claim impossible();

/// Whether one of the claims is that, or a schema that is `false`.
bool is_impossible(const Claims& claims);

}  // namespace pleiad::constrain
