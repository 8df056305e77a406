#include "constrain/schema/used_parts.h"

#include <unordered_map>
#include <utility>

namespace pleiad::constrain {

void UsedParts::ask(const Json* part, const Claims& among) {
  if (known_.insert(part).second) asked_.push_back({part, &among});
}

void UsedParts::add(std::vector<const Json*> parts, TypeSet types, std::vector<Way> ways,
                    const std::optional<Unlisted>& unlisted) {
  if (!parts.empty()) uses_.push_back({std::move(parts), types, std::move(ways), unlisted});
}

/// The types of which there are values.
TypeSet UsedParts::written(const Use& use, const Automaton& automaton) {
  TypeSet out = 0;
  for (const Way& way : use.ways) {
    if (automaton.height(way.start) < Automaton::kNever) out |= way.types;
  }
  return out;
}

std::optional<UsedParts::Unlisted> UsedParts::unlisted(const Automaton& automaton) const {
  std::unordered_map<const Json*, const Unlisted*> of_part;
  std::unordered_set<const Json*> without;
  for (const Use& use : uses_) {
    if (written(use, automaton) == 0) continue;
    for (const Json* part : use.parts) {
      if (!use.unlisted) without.insert(part);
      if (use.unlisted) of_part.emplace(part, &*use.unlisted);
    }
  }
  for (const Asked& asked : asked_) {
    const auto found = of_part.find(asked.part);
    if (found != of_part.end() && !without.contains(asked.part)) return *found->second;
  }
  return std::nullopt;
}

std::vector<UsedParts::Dead> UsedParts::dead(const Automaton& automaton) const {
  struct Types {
    TypeSet wanted = 0;
    TypeSet written = 0;
  };
  std::unordered_map<const Json*, Types> of_part;
  for (const Use& use : uses_) {
    const TypeSet now = written(use, automaton);
    for (const Json* part : use.parts) {
      Types& types = of_part[part];
      types.wanted |= use.types;
      types.written |= now;
    }
  }
  std::vector<Dead> out;
  for (const auto& [part, among] : asked_) {
    const auto found = of_part.find(part);
    const Types types = found == of_part.end() ? Types{kAllTypes, 0} : found->second;
    const auto missing = static_cast<TypeSet>(types.wanted & ~types.written);
    if (missing != 0) out.push_back({part, missing, types.written == 0, among});
  }
  return out;
}

}  // namespace pleiad::constrain
