#include "constrain/schema/leave_out.h"

#include <optional>
#include <string_view>
#include <utility>

#include "constrain/schema/document.h"
#include "constrain/schema/parameter_path.h"

namespace pleiad::constrain {
namespace {

/// What it says of a schema within it is not what the schema asks for.
bool turns_around(std::string_view keyword) {
  return keyword == "not" || keyword == "if" || keyword == "oneOf";
}

/// With what looks at what the keyword leaves over.
void erase_keyword(Json& schema, const std::string& keyword) {
  schema.erase(keyword);
  const bool names = keyword == "properties" || keyword == "patternProperties";
  if (names) schema.erase("additionalProperties");
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
  for (const std::string& step : pointer_steps(fault.pointer)) {
    if (is_schema && !around && turns_around(step)) around.emplace(at, step);
    const Json::json_pointer place = Json::json_pointer() / step;
    if (!at->contains(place)) return false;
    Json* next = &(*at)[place];
    is_schema = !is_schema || !(holds_named_schemas(step) || next->is_array());
    at = next;
  }
  if (!around && !fault.keyword.empty() && is_schema) around.emplace(at, fault.keyword);
  if (around) {
    auto& [part, keyword] = *around;
    if (!part->is_object() || !part->contains(keyword)) return false;
    if (fault.is_opposite && keyword == "oneOf" && !part->contains("anyOf")) {
      Json branches = std::move((*part)[keyword]);
      part->erase(keyword);
      (*part)["anyOf"] = std::move(branches);
      return true;
    }
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
