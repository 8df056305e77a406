#include "api/common/stream_text.h"

#include <fmt/format.h>

#include "api/common/request_json.h"

namespace pleiad::api {

std::string ndjson_line(const Json& value) { return to_text(value) + "\n"; }

std::string sse_event(const Json& data, std::string_view event) {
  if (event.empty()) return fmt::format("data: {}\n\n", to_text(data));
  return fmt::format("event: {}\ndata: {}\n\n", event, to_text(data));
}

}  // namespace pleiad::api
