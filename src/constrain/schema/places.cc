#include "constrain/schema/places.h"

#include <fmt/format.h>

#include <array>
#include <unordered_set>
#include <utility>

#include "constrain/schema/document.h"

namespace pleiad::constrain {

SchemaPlaces::SchemaPlaces(const Json& root) : root_(root) {
  add(root, nullptr, {}, {});
  add_references();
}

void SchemaPlaces::add(const Json& part, const Place* around, std::string_view keyword,
                       std::string step) {
  const Place& place = places_.emplace_back(Place{&part, around, keyword, std::move(step)});
  by_part_.emplace(&part, &place);
  if (!part.is_object()) return;
  for (const auto& member : part.items()) {
    const std::string& name = member.key();
    const Json& value = member.value();
    if (holds_values(name)) continue;
    const std::string to_keyword = pointer_step(name);
    if (value.is_array()) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        add(value[i], &place, name, fmt::format("{}/{}", to_keyword, i));
      }
    } else if (value.is_object() && holds_named_schemas(name)) {
      for (const auto& named : value.items()) {
        add(named.value(), &place, name, to_keyword + pointer_step(named.key()));
      }
    } else {
      add(value, &place, name, to_keyword);
    }
  }
}

void SchemaPlaces::add_references() {
  const SchemaDocument document(root_);
  for (const Place& place : places_) {
    for (const char* keyword : {"$ref", "$dynamicRef", "$recursiveRef"}) {
      const Json* name = find_member(*place.part, keyword);
      if (!name || !name->is_string()) continue;
      const std::string_view reference = name->get_ref<const std::string&>();
      const bool is_plain = std::string_view(keyword) == "$ref";
      const auto target = is_plain ? document.resolve(*place.part, reference)
                                   : document.resolve_dynamically(*place.part, reference);
      if (!target) continue;
      const auto found = by_part_.find(target.value());
      if (found != by_part_.end()) referring_[found->second].push_back(&place);
    }
  }
}

const SchemaPlaces::Place* SchemaPlaces::at(const std::string& pointer) const {
  const Json::json_pointer steps(pointer);
  if (!root_.contains(steps)) return nullptr;
  const auto found = by_part_.find(&root_[steps]);
  return found == by_part_.end() ? nullptr : found->second;
}

const std::vector<const SchemaPlaces::Place*>& SchemaPlaces::referring_to(
    const Place& place) const {
  static const std::vector<const Place*> kNone;
  const auto found = referring_.find(&place);
  return found == referring_.end() ? kNone : found->second;
}

std::vector<const SchemaPlaces::Place*> SchemaPlaces::leading_to(const Place& place) const {
  std::vector<const Place*> out = {&place};
  std::unordered_set<const Place*> found = {&place};
  std::unordered_set<const Place*> passed;  // with all that they stand in
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (const Place* at = out[i]; at && passed.insert(at).second; at = at->around) {
      for (const Place* referring : referring_to(*at)) {
        if (found.insert(referring).second) out.push_back(referring);
      }
    }
  }
  return out;
}

std::string pointer_of(const SchemaPlaces::Place& place) {
  std::vector<const SchemaPlaces::Place*> way;
  for (const SchemaPlaces::Place* at = &place; at; at = at->around) way.push_back(at);
  std::string out;
  while (!way.empty()) {
    out += way.back()->step;
    way.pop_back();
  }
  return out;
}

}  // namespace pleiad::constrain
