#include "api/common/request_json.h"

#include <fmt/format.h>

#include "api/common/request_error.h"
#include "base/text_format.h"

namespace pleiad::api {

Json parse_request(std::string_view body, const JsonLimits& limits) {
  if (body.empty()) throw RequestError("", "missing request body");
  Result<Json> json = read_json(body, limits);
  if (!json) throw RequestError("", fmt::format("the body is {}", json.message()));
  if (!json.value().is_object()) {
    throw RequestError("", fmt::format("expected a JSON object, found {}", describe(json.value())));
  }
  return std::move(json).value();
}

std::string describe(const Json& value) {
  switch (value.type()) {
    case Json::value_t::string:
      return fmt::format("\"{}\"", printable(value.get_ref<const std::string&>(), 60));
    case Json::value_t::array:
      return fmt::format("a list of {}", value.size());
    case Json::value_t::object:
      return "an object";
    default:
      return to_text(value);
  }
}

}  // namespace pleiad::api
