#include "base/json.h"

#include "base/error.h"
#include "base/json_builder.h"

namespace pleiad {

Json parse_json(std::string_view text, const std::string& source, const JsonLimits& limits) {
  Result<Json> json = read_json(text, limits);
  if (!json) throw Error("{}: {}", source, json.message());
  return std::move(json).value();
}

Result<Json> read_json(std::string_view text, const JsonLimits& limits) {
  return JsonBuilder<Json>::read(text, limits);
}

Json json_or_discarded(std::string_view text) {
  Result<Json> json = read_json(text, {.depth = 512});
  return json ? std::move(json).value() : Json(Json::value_t::discarded);
}

std::string to_text(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string exact_text(const Json& value, const std::string& what, int indent) {
  try {
    return value.dump(indent);
  } catch (const Json::exception&) {
    throw Error("{} is not valid UTF-8, and cannot be written down", what);
  }
}

}  // namespace pleiad
