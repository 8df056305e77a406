#include "constrain/schema/validity.h"

#include <fmt/format.h>

#include <algorithm>

#include "constrain/schema/same_value.h"

namespace pleiad::constrain {
namespace {

constexpr int kMaxValueDepth = 100;
constexpr int kMostReferences = 10'000;  // that only lead on, one after the other

}  // namespace

std::optional<ListedValues> listed_values(SchemaContext& context, const Shape& shape) {
  static const Json null;
  for (const Json* schema : shape.schemas) {
    const Keywords& keywords = context.keywords(*schema);
    const Json* only = keywords.find("const");
    const Json* list = keywords.find("enum");
    if (!only && !list) continue;
    ListedValues out;
    out.schema = schema;
    if (only) {
      out.values.push_back(only);
    } else if (list->is_array() && context.spend(list->size() / 8)) {
      for (const Json& value : *list) out.values.push_back(&value);
      out.of_enum = schema;
    }
    const Json* nullable = keywords.find("nullable");
    if (nullable && *nullable == true) out.values.push_back(&null);
    return out;
  }
  return std::nullopt;
}

Verdict Validity::of(const Json& schema, const Json& value) {
  doubt_.reset();
  return valid(schema, value, 0);
}

Verdict Validity::of(const Shape& shape, const Json& value, const Json* listed) {
  doubt_.reset();
  const TypeSet type = type_of(value);
  if ((shape.types & type) == 0) return Verdict::no;
  if (!context_.spend(1 + shape.schemas.size() + shape.denials.size() + shape.clauses.size() +
                      shape.properties.size())) {
    return Verdict::unknown;
  }
  Verdict out = Verdict::yes;
  const auto add = [&](Verdict more) { return (out = std::min(out, more)) != Verdict::no; };
  for (const Json* schema : shape.schemas) {
    if (!add(schema == listed ? beside_its_list(*schema, value) : valid(*schema, value, 0))) {
      return out;
    }
  }
  for (const Denial& denial : shape.denials) {
    const Json& rule = *context_.keyword(*denial.schema, denial.keyword);
    if (!add(negated(keyword(*denial.schema, denial.keyword, rule, value, 0)))) return out;
  }
  if (type == kObject) {
    const auto has = [&](const PresenceClause::Literal& literal) {
      return verdict((context_.document().member(value, literal.name) != nullptr) ==
                     literal.present);
    };
    for (const PresenceClause& clause : shape.clauses) {
      if (!context_.spend(clause.literals.size() / 8)) return Verdict::unknown;
      if (!add(any_of(clause.literals, has))) return out;
    }
    for (const auto& [name, claim] : shape.properties) {
      const Json* member = context_.document().member(value, name);
      if (member && !add(claimed(claim, *member))) return out;
    }
  }
  if (type != kArray) return out;
  for (const Claim& claim : shape.every_item) {
    if (!add(all_of(value, [&](const Json& item) { return claimed(claim, item); }))) return out;
  }
  for (const Shape::PlaceClaim& place : shape.places) {
    const bool is_there = place.index < value.size();
    if (!add(is_there ? claimed(place.claim, value[place.index]) : Verdict::no)) return out;
  }
  for (const Shape::ItemClaim& some : shape.some_items) {
    Counted found;
    for (std::size_t i = some.from; i < value.size(); ++i) {
      found.add(claimed(some.claim, value[i]));
    }
    if (!add(found.at_least(some.least))) break;
    if (some.most != kUnlimited && !add(found.at_most(some.most))) break;
  }
  return out;
}

bool Validity::settled(Verdict verdict) {
  if (verdict == Verdict::unknown && doubt_) {
    context_.note(doubt_->schema, doubt_->keyword, doubt_->why);
  }
  return verdict != Verdict::no;
}

Verdict Validity::doubt(const Json& schema, std::string_view keyword, std::string_view why) {
  if (!doubt_) doubt_ = Doubt{&schema, keyword, std::string(why)};
  return Verdict::unknown;
}

Verdict Validity::claimed(const Claim& claim, const Json& value) {
  const Verdict found = valid(*claim.schema, value, 0);
  return claim.holds ? found : negated(found);
}

/// All but its "enum".
Verdict Validity::beside_its_list(const Json& schema, const Json& value) {
  const Keywords& keywords = context_.keywords(schema);
  const Json* nullable = keywords.find("nullable");
  if (value.is_null() && nullable && *nullable == true) return Verdict::yes;
  return all_of(keywords, [&](const Keywords::Keyword& item) {
    return item.name == "enum" ? Verdict::yes : keyword(schema, item.name, *item.rule, value, 0);
  });
}

Verdict Validity::valid(const Json& schema, const Json& value, int depth) {
  const Json* part = &schema;
  for (int step = 0; part->is_object(); ++step) {
    const Keywords& keywords = context_.keywords(*part);
    if (!context_.spend(1)) return Verdict::unknown;
    if (keywords.size() != 1 || keywords.begin()->name != "$ref") break;
    if (step == kMostReferences) return doubt(*part, "$ref", "it leads too far, or in a circle");
    part = context_.resolve(*part, "$ref");
    if (!part) return Verdict::unknown;
  }
  if (part->is_boolean()) return verdict(part->get<bool>());
  if (!part->is_object()) {
    context_.fail(part, {}, "expected a schema: an object or a boolean");
    return Verdict::unknown;
  }
  const Keywords& keywords = context_.keywords(*part);
  if (!context_.spend(keywords.size())) return Verdict::unknown;
  const Json* nullable = keywords.find("nullable");
  if (value.is_null() && nullable && *nullable == true) return Verdict::yes;
  if (depth > kMaxValueDepth) {
    return doubt(*part, {},
                 fmt::format("for values of \"enum\" and \"const\" not more than {} schemas are "
                             "followed one within the other",
                             kMaxValueDepth));
  }
  return all_of(keywords, [&](const Keywords::Keyword& item) {
    return keyword(*part, item.name, *item.rule, value, depth + 1);
  });
}

Verdict Validity::keyword(const Json& schema, std::string_view name, const Json& rule,
                          const Json& value, int depth) {
  if (context_.failed()) return Verdict::unknown;
  if (name == "type") {
    if (!context_.spend(rule.is_array() ? rule.size() / 8 : 0)) return Verdict::unknown;
    return verdict((types_listed(rule) & type_of(value)) != 0);
  }
  if (name == "const" || name == "enum") {
    const std::size_t n = (name == "enum" ? rule.size() : 1) * n_values(value);
    if (!context_.spend(1 + n / 4)) return Verdict::unknown;
    const auto is_value = [&](const Json& listed) { return same_value(listed, value); };
    return verdict(name == "const" ? is_value(rule) : std::ranges::any_of(rule, is_value));
  }
  const TypeSet types = types_of_keyword(name);
  if (types == 0) return choice_keyword(schema, name, rule, value, depth);
  const bool is_number_format = name == "format" && value.is_number();
  if ((types & type_of(value)) == 0 && !is_number_format) return Verdict::yes;
  if (value.is_object()) return object_keyword(schema, name, rule, value, depth);
  if (value.is_array()) return array_keyword(schema, name, rule, value, depth);
  if (value.is_string()) {
    return string_keyword(schema, name, rule, value.get_ref<const std::string&>());
  }
  return number_keyword(schema, name, rule, value);
}

Verdict Validity::choice_keyword(const Json& schema, std::string_view name, const Json& rule,
                                 const Json& value, int depth) {
  const auto matches = [&](const Json& part) { return valid(part, value, depth); };
  if (name == "$ref" || name == "$dynamicRef" || name == "$recursiveRef") {
    const Json* target = context_.resolve(schema, name);
    return target ? matches(*target) : Verdict::unknown;
  }
  if (name == "allOf") return all_of(rule, matches);
  if (name == "anyOf") return any_of(rule, matches);
  if (name == "oneOf") {
    const Counted found = count(rule, matches);
    return std::min(found.at_least(1), found.at_most(1));
  }
  if (name == "not") return negated(matches(rule));
  if (name == "if") {
    const Json* then = context_.keyword(schema, "then");
    const Json* otherwise = context_.keyword(schema, "else");
    if (!then && !otherwise) return Verdict::yes;
    const Verdict condition = matches(rule);
    const auto way = [&](const Json* part) { return part ? matches(*part) : Verdict::yes; };
    if (condition != Verdict::unknown) return way(condition == Verdict::yes ? then : otherwise);
    const Verdict one = way(then);
    const Verdict other = way(otherwise);
    return one == other ? one : Verdict::unknown;
  }
  if (!decides(name)) return Verdict::yes;
  return doubt(schema, name, "this keyword is not supported");
}

}  // namespace pleiad::constrain
