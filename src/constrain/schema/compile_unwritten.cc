// Which parts of a schema are never written, though values satisfy the whole.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "constrain/schema/compiler.h"

namespace pleiad::constrain {
namespace {

constexpr std::size_t kMostTold = 8;
constexpr std::size_t kMostLookedAt = 64;
constexpr TypeSet kTold = kObject | kArray | kString | kNumber;  // where others are left

/// Of types of which there is no value, where there are values of others.
std::string_view name_of(TypeSet types) {
  constexpr std::array<std::pair<TypeSet, std::string_view>, 4> kNames = {{
      {kObject, "object"},
      {kArray, "array"},
      {kString, "string"},
      {kNumber, "number"},
  }};
  return std::ranges::find_if(kNames, [&](const auto& each) { return (each.first & types) != 0; })
      ->second;
}

}  // namespace

/// What does not hold because of a property that has to be there and that nothing lists; nothing
/// where there is none.
std::optional<UsedParts::Unlisted> SchemaCompiler::unlisted_denied(const Shape& shape) {
  if ((shape.types & kObject) == 0) return std::nullopt;
  const auto found = std::ranges::find_if(shape.properties, [&](const auto& property) {
    const std::size_t n = 1 + shape.schemas.size() + shape.clauses.size() / 8;
    return !property.claim.holds && context_.spend(n) && has_literal(shape, property.name, true) &&
           std::ranges::none_of(shape.schemas, [&](const Json* schema) {
             const Json* listed = context_.keyword(*schema, "properties");
             return listed && context_.document().member(*listed, property.name);
           });
  });
  if (found == shape.properties.end()) return std::nullopt;
  return UsedParts::Unlisted{found->claim.schema, found->name};
}

/// Whether it says itself that there is no such value.
bool SchemaCompiler::says_never(const Json& part) {
  const Json* denied = context_.keyword(part, "not");
  return denied &&
         (*denied == true || (denied->is_object() && !context_.keywords(*denied).decide()));
}

/// Whether it is only a question: what stands there need not be written.
bool SchemaCompiler::is_condition(const Json* part) const {
  return std::ranges::any_of(context_.document().keywords_to(part), [](const std::string& keyword) {
    return keyword == "if" || keyword == "not";
  });
}

/// Leaves those of which there is something to tell: where there are values of others, those that
/// the part names itself.
void SchemaCompiler::leave_told_types(UsedParts::Dead& dead) {
  if (dead.part->is_boolean() || says_never(*dead.part)) dead.types = 0;
  if (dead.is_whole || dead.types == 0) return;
  const Json* type = context_.keyword(*dead.part, "type");
  dead.types &= type ? types_listed(*type) & kTold : 0;
}

/// One that every value of the part has to have within itself, and that has none either; null where
/// there is none.
const Json* SchemaCompiler::needed_part(const UsedParts::Dead& dead, const DeadParts& all) {
  const Json* needed = nullptr;
  for (Shape& shape : expander_.expand(*dead.among)) {
    shape.types &= dead.types;
    const auto& sources = shape.sources.schemas;
    if (shape.types == 0 || std::ranges::find(sources, dead.part) == sources.end()) continue;
    const std::optional<ImpossibleChild> child = impossible_child(shape, Automaton::kNever);
    if (!child) return nullptr;
    const Claims asked = asked_by(child->claims);
    const auto found = std::ranges::find_if(
        asked, [&](const Claim& claim) { return claim.holds && all.contains(claim.schema); });
    if (found == asked.end()) return nullptr;
    if (!needed) needed = found->schema;
  }
  return needed;
}

/// The last of what a part needs, what that needs, and so on, before that comes again.
const UsedParts::Dead* SchemaCompiler::last_needed(const UsedParts::Dead& dead,
                                                   const DeadParts& all) {
  const UsedParts::Dead* last = &dead;
  std::unordered_set<const Json*> seen = {dead.part};
  for (;;) {
    const Json* next = needed_part(*last, all);
    if (!next || !seen.insert(next).second) return last;
    last = all.at(next);
  }
}

SchemaNote SchemaCompiler::unwritten_part(const UsedParts::Dead& dead) {
  const std::string path = context_.path_of(context_.fault_at(dead.part, {}));
  context_.forget_lost();
  const bool is_of_longer_numbers = std::ranges::any_of(
      expander_.expand(*dead.among),
      [&](const Shape& shape) { return of_longer_numbers_.contains(shape.schemas); });
  if (is_of_longer_numbers) {
    return {path, "only numbers of more digits than are written satisfy it, so none is written"};
  }
  if (context_.lost()) {
    return {path, fmt::format("no value that satisfies it there is found, as the opposite of {} "
                              "cannot be enforced, so none is written",
                              context_.path_of(*context_.lost()))};
  }
  const std::string reason = reason_of(dead.part);
  const std::string bounds = reason.empty() ? reason : fmt::format(" ({})", reason);
  const bool is_alone = !bounds.empty() || asked_by(*dead.among) == asked_by({{dead.part, true}});
  return {path, fmt::format("no {}{} can satisfy it{}, so none is written",
                            dead.is_whole ? "value" : name_of(dead.types),
                            is_alone ? "" : " that is valid there", bounds)};
}

std::vector<SchemaNote> SchemaCompiler::unwritten_parts() {
  std::vector<UsedParts::Dead> dead = used_.dead(writer_.automaton());
  for (UsedParts::Dead& each : dead) leave_told_types(each);
  std::erase_if(dead, [](const UsedParts::Dead& each) { return each.types == 0; });
  DeadParts whole;
  for (const UsedParts::Dead& each : dead) {
    if (each.is_whole) whole.emplace(each.part, &each);
  }
  std::vector<SchemaNote> out;
  std::unordered_set<const Json*> explained;
  std::size_t n_looked_at = 0;
  std::size_t n_more = 0;
  for (const UsedParts::Dead& each : dead) {
    if (context_.failed()) break;
    if (explained.contains(each.part)) continue;
    if (out.size() == kMostTold || ++n_looked_at > kMostLookedAt) {
      ++n_more;
      continue;
    }
    if (is_condition(each.part)) continue;
    const UsedParts::Dead& last = *last_needed(each, whole);
    const bool is_new = !explained.contains(last.part);
    // What it is, and what it applies, is explained with it, and so is what it stands beside.
    std::vector<const Json*> also = {each.part, last.part};
    for (const Claim& claim : *last.among) also.push_back(claim.schema);
    for (std::size_t i = 0; i < also.size(); ++i) {
      if (!explained.insert(also[i]).second || !also[i]->is_object()) continue;
      const auto applied = expander_.applied_by(*also[i]);
      also.insert(also.end(), applied.begin(), applied.end());
    }
    if (is_new && !is_condition(last.part)) out.push_back(unwritten_part(last));
  }
  if (const auto unlisted = used_.unlisted(writer_.automaton())) {
    out.push_back({context_.path_of(context_.fault_at(unlisted->part, {})),
                   fmt::format("{} has to be written, though nothing lists it there, so that this "
                               "does not hold",
                               to_text(Json(std::string(unlisted->property))))});
  }
  if (n_more > 0 || context_.failed()) {
    out.push_back(
        {context_.path_of({}), fmt::format("{} of its parts may have no value that can be written",
                                           n_more > 0 ? fmt::format("{} more", n_more) : "some")});
  }
  return out;
}

}  // namespace pleiad::constrain
