// Which part of a schema is to blame where no value satisfies it.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "constrain/schema/bounds.h"
#include "constrain/schema/compiler.h"

namespace pleiad::constrain {
namespace {

/// The one that is named: a schema that is `false`, else the first that has to hold.
const Json* blamed(const Claims& claims) {
  const Json* first = nullptr;
  for (const Claim& claim : claims) {
    if (is_impossible({claim})) return claim.schema;
    if (!first && claim.holds) first = claim.schema;
  }
  return first ? first : claims.front().schema;
}

}  // namespace

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
    if (context_.lost() && !is_too_deep) return none_is_found(*context_.lost());
    if (!next || context_.failed()) break;
    at = std::move(*next);
    types = kAllTypes;
    if (is_too_deep) --height;
  }
  const Json* part = blamed(at.claims);
  ImpossiblePart out;
  out.fault = context_.fault_at(part, {});
  out.path = context_.path_of(out.fault);
  if (is_too_deep) {
    out.kind = ImpossiblePart::Kind::too_deep;
    out.why =
        fmt::format("its values are nested deeper than {} levels, with those around it", most);
    return out;
  }
  if (is_of_longer_numbers) {
    out.why = "only numbers of more digits than are written satisfy it";
    return out;
  }
  out.why = "no value can satisfy it" + bounds_of(*part);
  if (part->is_boolean() && !at.name.empty()) {
    out.why += fmt::format(", and {} is required", to_text(Json(std::string(at.name))));
  }
  return out;
}

/// In words, in brackets, where its bounds exclude each other.
std::string SchemaCompiler::bounds_of(const Json& part) {
  const std::string bounds = contradiction(context_.keywords(part));
  return bounds.empty() ? bounds : fmt::format(" ({})", bounds);
}

ImpossiblePart SchemaCompiler::none_is_found(const SchemaFault& lost) const {
  return {ImpossiblePart::Kind::none_is_found, lost, context_.path_of(lost),
          std::string(kNoOpposite) + ", and without that no value is found"};
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
