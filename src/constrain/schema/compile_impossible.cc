// Which part of a schema is to blame where no value satisfies it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "constrain/schema/bounds.h"
#include "constrain/schema/compiler.h"
#include "constrain/schema/one_of.h"
#include "constrain/schema/parameter_path.h"

namespace pleiad::constrain {
namespace {

/// See ImpossiblePart.
std::string_view empty_list_of(const Json& part) {
  for (const std::string_view keyword : {"enum", "type"}) {
    const Json* list = find_member(part, keyword);
    if (list && list->is_array() && list->empty()) return keyword;
  }
  return {};
}

/// The one that is named: a schema that is `false`, else the first that has to hold.
const Json* blamed(const Claims& claims) {
  const Json* first = nullptr;
  for (const Claim& claim : claims) {
    if (is_impossible({claim})) return claim.schema;
    if (!first && claim.holds) first = claim.schema;
  }
  return first ? first : claims.front().schema;
}

std::string first_that_holds(const std::vector<ImpossiblePart::Other>& others) {
  const auto found = std::ranges::find_if(
      others, [](const ImpossiblePart::Other& other) { return !other.fault.is_opposite; });
  return found == others.end() ? "" : found->path;
}

}  // namespace

std::string ImpossiblePart::message() const {
  if (empty_list.empty()) return fmt::format("{}: {}", path, why);
  return fmt::format("{}.{}: {} (the list is empty)", path, empty_list, why);
}

std::optional<ImpossiblePart> SchemaCompiler::impossible_part(std::uint32_t most, TypeSet types) {
  std::uint32_t height = writer_.automaton().height(whole_.start);
  if (height <= most) return std::nullopt;
  const bool is_too_deep = height < Automaton::kNever;
  ImpossibleChild at{document_claims_, {}};
  std::set<Claims> seen;
  bool is_of_longer_numbers = false;
  for (std::uint32_t level = 0;; ++level) {
    // What asks for itself again has no end; what is left free at the last level that there may be
    // is as high as any value.
    if (!seen.insert(asked_by(at.claims)).second) break;
    if (is_too_deep && level + 2 >= most) break;
    std::optional<ImpossibleChild> next;
    context_.forget_lost();
    is_of_longer_numbers = false;
    for (Shape& shape : expander_.expand(at.claims)) {
      shape.types &= types;
      is_of_longer_numbers |= of_longer_numbers_.contains(shape.schemas);
      if (!next) next = impossible_child(shape, is_too_deep ? height - 1 : height);
    }
    // What was lost is to blame, unless without it nothing would be found either.
    const auto is_sure = [&] { return next && is_of_all_shapes(next->claims, at.claims); };
    if (context_.lost() && !is_too_deep && !is_sure()) return none_is_found(*context_.lost());
    if (!next || context_.failed()) break;
    at = std::move(*next);
    types = kAllTypes;
    if (is_too_deep) --height;
  }
  if (!is_too_deep && !is_of_longer_numbers) return part_without_value(at, types);
  ImpossiblePart out;
  if (is_too_deep) out.kind = ImpossiblePart::Kind::too_deep;
  out.fault = context_.fault_at(blamed(at.claims), {});
  out.path = context_.path_of(out.fault);
  out.why =
      is_too_deep
          ? fmt::format("its values are nested deeper than {} levels, with those around it", most)
          : "only numbers of more digits than are written satisfy it";
  return out;
}

ImpossiblePart SchemaCompiler::part_without_value(const ImpossibleChild& at, TypeSet types) {
  const Json* empty_pattern = empty_pattern_of(at.claims, types);
  const Json* part = empty_pattern ? empty_pattern : blamed(at.claims);
  ImpossiblePart out;
  out.fault = context_.fault_at(part, empty_pattern ? "pattern" : "");
  out.path = context_.path_of(out.fault);
  out.others = others_that_hold(at.claims, part);
  if (empty_pattern) {
    out.why = "no string matches it";
    return out;
  }
  out.why = types == kObject ? "no object can satisfy it" : "no value can satisfy it";
  out.empty_list = empty_list_of(*part);
  if (const std::string bounds = reason_of(part); !bounds.empty()) {
    out.why += fmt::format(" ({})", bounds);
  } else if (const std::string beside = first_that_holds(out.others); !part->is_boolean()) {
    out.why += beside.empty() ? "" : " beside " + beside;
  }
  if (part->is_boolean() && !at.name.empty()) {
    out.why += fmt::format(", and {} is required", to_text(Json(std::string(at.name))));
  }
  return out;
}

/// What the same value is held to beside the part; the first few.
std::vector<ImpossiblePart::Other> SchemaCompiler::others_that_hold(const Claims& claims,
                                                                    const Json* part) const {
  constexpr std::size_t kMostOthers = 4;  // each is looked for in the whole schema
  std::vector<ImpossiblePart::Other> out;
  for (const Claim& claim : claims) {
    if (claim.schema == part || claim.schema == impossible().schema) continue;
    if (out.size() == kMostOthers) break;
    SchemaFault fault = context_.fault_at(claim.schema, {});
    fault.is_opposite = !claim.holds;
    out.push_back({fault, context_.path_of(fault)});
  }
  return out;
}

ImpossiblePart SchemaCompiler::none_is_found(const SchemaFault& lost) const {
  ImpossiblePart out;
  out.kind = ImpossiblePart::Kind::none_is_found;
  out.fault = lost;
  out.path = context_.path_of(lost);
  out.why = std::string(kNoOpposite) + ", and without that no value is found";
  return out;
}

/// Whether these claims are asked of a part of each value that those around are asked of, whatever
/// way it takes; as far as that is seen.
bool SchemaCompiler::is_of_all_shapes(const Claims& claims, const Claims& around) const {
  constexpr std::array<std::string_view, 8> kOnlyWays = {
      "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"};
  constexpr std::size_t kMostClaims = 16;  // each is looked for in the whole schema
  if (claims.size() + around.size() > kMostClaims) return false;
  std::vector<std::string> places;
  for (const Claim& claim : around) {
    if (claim.holds) places.push_back(context_.document().place(claim.schema));
  }
  return std::ranges::all_of(claims, [&](const Claim& claim) {
    if (!claim.holds) return false;
    const std::string place = context_.document().place(claim.schema);
    return std::ranges::any_of(places, [&](const std::string& outer) {
      if (!place.starts_with(outer + "/")) return false;
      const std::vector<std::string> way = pointer_steps(place.substr(outer.size()));
      return std::ranges::none_of(
          way, [&](const std::string& step) { return is_one_of(kOnlyWays, step); });
    });
  });
}

/// Whether it asks of strings, which it allows, for a pattern that none has.
bool SchemaCompiler::has_empty_pattern(const Json& schema) {
  const Json* pattern = context_.keyword(schema, "pattern");
  const Json* type = context_.keyword(schema, "type");
  return pattern && (!type || (types_listed(*type) & kString) != 0) &&
         context_.matches_nothing(pattern->get_ref<const std::string&>());
}

/// The schema whose pattern alone leaves nothing, as strings are all that there could be; null
/// where there is no such one.
const Json* SchemaCompiler::empty_pattern_of(const Claims& claims, TypeSet types) {
  const Json* found = nullptr;
  for (Shape& shape : expander_.expand(claims)) {
    narrow_to_implied_types(shape);
    shape.types &= types;
    if (shape.types == 0) continue;
    const auto empty = std::ranges::find_if(
        shape.schemas, [&](const Json* schema) { return has_empty_pattern(*schema); });
    if (shape.types != kString || empty == shape.schemas.end()) return nullptr;
    if (found && found != *empty) return nullptr;
    found = *empty;
  }
  return found;
}

/// Which of its bounds exclude each other, or that no string has its pattern; or of what it refers
/// to; else empty.
std::string SchemaCompiler::reason_of(const Json* part) {
  constexpr int kMostReferences = 8;
  for (int i = 0; part && i < kMostReferences; ++i) {
    const Keywords& keywords = context_.keywords(*part);
    if (std::string bounds = contradiction(keywords); !bounds.empty()) return bounds;
    if (has_empty_pattern(*part)) return R"(no string has its "pattern")";
    part = keywords.find("$ref") ? context_.resolve(*part, "$ref") : nullptr;
  }
  return {};
}

/// A required property, or one of the items that there must be, of which all rules are at least so
/// high.
std::optional<SchemaCompiler::ImpossibleChild> SchemaCompiler::impossible_child(
    const Shape& shape, std::uint32_t height) {
  const auto is_of_document = [](const Claim& claim) {
    return claim.schema != impossible().schema;
  };
  const auto is_to_blame = [&](const Claims& claims) {
    return is_as_high(claims, height) && std::ranges::all_of(claims, is_of_document);
  };
  if ((shape.types & kObject) != 0) {
    for (const PresenceClause& clause : shape.clauses) {
      if (clause.literals.size() != 1 || !clause.literals[0].present) continue;
      const std::string_view name = clause.literals[0].name;
      Claims claims = property_claims(context_, shape, std::string(name));
      if (is_to_blame(claims)) return ImpossibleChild{std::move(claims), name};
    }
  }
  if ((shape.types & kArray) != 0) {
    const std::size_t n_kinds = n_first_items(context_, shape) + 1;
    const std::size_t n =
        std::min<std::size_t>(counts(context_, shape, "minItems", "maxItems").need, n_kinds);
    for (std::size_t i = 0; i < n; ++i) {
      Claims claims = item_claims(context_, shape, i);
      if (is_to_blame(claims)) return ImpossibleChild{std::move(claims), {}};
    }
  }
  return std::nullopt;
}

/// Whether the rule of a value is at least so high.
bool SchemaCompiler::is_as_high(const Claims& claims, std::uint32_t height) {
  if (is_impossible(claims)) return height >= Automaton::kNever;
  const Claims asked = asked_by(claims);
  for (const Spelling spelling : {Spelling::any, Spelling::one, Spelling::one_sorted}) {
    const auto known = rules_.find({asked, spelling});
    if (known == rules_.end()) continue;
    return writer_.automaton().height(known->second.start) >= height;
  }
  return false;
}

}  // namespace pleiad::constrain
