#include "api/common/tool_messages.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/common/request_error.h"
#include "api/common/request_json.h"

namespace pleiad::api {

void check_tool_messages(const Json& messages,
                         const std::function<std::string(std::size_t)>& path_of) {
  const Json* calls = nullptr;  // that may be answered here
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const Json& message = messages[i];
    if (message["role"] != "tool") {
      const auto found = message.find("tool_calls");
      calls = found == message.end() ? nullptr : &*found;
      continue;
    }
    const Json& id = message["tool_call_id"];
    const bool is_answer = calls && std::any_of(calls->begin(), calls->end(),
                                                [&](const Json& call) { return call["id"] == id; });
    if (is_answer) continue;
    throw RequestError(path_of(i),
                       fmt::format("the result of call {} does not follow the assistant's message "
                                   "with that call",
                                   describe(id)));
  }
}

}  // namespace pleiad::api
