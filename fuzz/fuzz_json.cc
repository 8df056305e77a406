// Any bytes at all, read as JSON by both of our builders and by the library's own. They must agree,
// and what limits refuse must be beyond them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/check.h"
#include "base/error.h"
#include "base/json.h"
#include "formats/bounded_json.h"

namespace {

using pleiad::Json;

struct Counts {
  std::size_t values = 0;
  std::size_t depth = 0;
};

Counts count(const Json& value) {
  Counts counts{1, 0};
  for (const Json& part : value.is_structured() ? value : Json::array()) {
    const Counts inside = count(part);
    counts.values += inside.values;
    counts.depth = std::max(counts.depth, inside.depth);
  }
  if (value.is_structured()) ++counts.depth;
  return counts;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const pleiad::JsonLimits limits;
  const pleiad::Result<Json> ours = pleiad::read_json(text, limits);
  const Json theirs = Json::parse(text, nullptr, false);
  if (ours) {
    CHECK(ours.value() == theirs);
    const Counts counts = count(theirs);
    CHECK(counts.depth <= limits.depth);
    if (counts.values > 1) CHECK(!pleiad::read_json(text, {.values = counts.values - 1}));
    if (counts.depth > 0) CHECK(!pleiad::read_json(text, {.depth = counts.depth - 1}));
  } else {
    CHECK(!ours.message().empty());
    const bool refused = ours.message().starts_with("JSON ");
    CHECK(refused || theirs.is_discarded(), "{}", ours.message());
  }
  try {
    const pleiad::BoundedJson bounded = pleiad::parse_bounded_json(text, "fuzz");
    CHECK(bounded == pleiad::BoundedJson::parse(text));
  } catch (const pleiad::LoadError& error) {
    CHECK(error.what()[0] != '\0');
  }
  return 0;
}
