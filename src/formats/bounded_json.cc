#include "formats/bounded_json.h"

#include "base/error.h"
#include "base/json_builder.h"

namespace pleiad {
namespace {

constexpr JsonLimits kLimits = {.depth = 32};  // a configuration needs five levels

}  // namespace

BoundedJson parse_bounded_json(std::string_view text, const std::string& file) {
  Result<BoundedJson> json = JsonBuilder<BoundedJson>::read(text, kLimits);
  if (!json) throw LoadError("{}: {}", file, json.message());
  return std::move(json).value();
}

}  // namespace pleiad
