#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace pleiad::api {

inline constexpr std::string_view kNdjson = "application/x-ndjson";
inline constexpr std::string_view kEventStream = "text/event-stream; charset=utf-8";

/// One line of newline-delimited JSON.
std::string ndjson_line(const Json& value);

/// A server-sent event: "data: {...}\n\n"; with a name, "event: NAME\n" before it.
std::string sse_event(const Json& data, std::string_view event = {});
/// The last one of OpenAI's streams.
inline constexpr std::string_view kSseDone = "data: [DONE]\n\n";

}  // namespace pleiad::api
