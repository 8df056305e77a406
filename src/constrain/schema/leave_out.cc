#include "constrain/schema/leave_out.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace pleiad::constrain {
namespace {

bool is_one_keyword_of(std::string_view keyword, std::initializer_list<std::string_view> keywords) {
  return std::ranges::find(keywords, keyword) != keywords.end();
}

/// What it says of a schema within it is not what the schema asks for.
bool turns_around(std::string_view keyword) {
  return is_one_keyword_of(keyword, {"not", "if", "oneOf"});
}

/// Its members are schemas by names that are no keywords.
bool has_names(std::string_view keyword) {
  return is_one_keyword_of(keyword, {"properties", "patternProperties", "definitions", "$defs",
                                     "dependentSchemas", "dependencies"});
}

/// The steps of a JSON pointer, decoded.
std::vector<std::string> steps_of(std::string_view pointer) {
  std::vector<std::string> steps;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      steps.emplace_back();
    } else if (pointer[i] == '~' && i + 1 < pointer.size()) {
      steps.back() += pointer[++i] == '1' ? '/' : '~';
    } else {
      steps.back() += pointer[i];
    }
  }
  return steps;
}

Json* part_within(Json& at, const std::string& step) {
  if (at.is_object()) {
    const auto found = at.find(step);
    return found == at.end() ? nullptr : &found.value();
  }
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
  const bool is_index = error == std::errc() && end == step.data() + step.size();
  return at.is_array() && is_index && index < at.size() ? &at[index] : nullptr;
}

/// With what looks at what the keyword leaves over.
void erase_keyword(Json& schema, const std::string& keyword) {
  schema.erase(keyword);
  if (is_one_keyword_of(keyword, {"properties", "patternProperties"}))
    schema.erase("additionalProperties");
  if (keyword == "prefixItems") schema.erase("items");
  if (keyword == "items") schema.erase("additionalItems");
  schema.erase("unevaluatedProperties");
  schema.erase("unevaluatedItems");
}

}  // namespace

bool leave_out(Json& schema, const SchemaFault& fault) {
  Json* at = &schema;
  bool is_schema = true;  // else it holds some
  std::optional<std::pair<Json*, std::string>> around;
  for (const std::string& step : steps_of(fault.pointer)) {
    if (is_schema && !around && turns_around(step)) around.emplace(at, step);
    Json* next = part_within(*at, step);
    if (next == nullptr) return false;
    is_schema = !is_schema || !(has_names(step) || next->is_array());
    at = next;
  }
  if (!around && !fault.keyword.empty() && is_schema) around.emplace(at, fault.keyword);
  if (around) {
    auto& [part, keyword] = *around;
    if (!part->is_object() || !part->contains(keyword)) return false;
    erase_keyword(*part, keyword);
    return true;
  }
  if (at == &schema) return false;
  const Json* type = at->is_object() ? find_member(*at, "type") : nullptr;
  Json rest = type ? Json{{"type", *type}} : Json(true);
  if (rest == *at) return false;
  *at = std::move(rest);
  return true;
}

}  // namespace pleiad::constrain
