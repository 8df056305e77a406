#include "api/common/tool_messages.h"

#include <fmt/format.h>

#include <string_view>
#include <unordered_set>

#include "api/common/request_error.h"
#include "api/common/request_json.h"

namespace pleiad::api {

void check_tool_messages(const Json& messages,
                         const std::function<std::string(std::size_t)>& path_of) {
  std::unordered_set<std::string_view> ids;  // of calls that may be answered here
  std::size_t n_results = 0;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const Json& message = messages[i];
    if (message["role"] != "tool") {
      ids.clear();
      n_results = 0;
      const auto calls = message.find("tool_calls");
      if (calls == message.end()) continue;
      for (const Json& call : *calls) ids.insert(call["id"].get_ref<const std::string&>());
      continue;
    }
    const Json& id = message["tool_call_id"];
    if (!ids.contains(id.get_ref<const std::string&>())) {
      throw RequestError(path_of(i),
                         fmt::format("the result of call {} does not follow the assistant's "
                                     "message with that call",
                                     describe(id)));
    }
    if (++n_results > kMaxCalls) {
      throw RequestError(path_of(i),
                         fmt::format("at most {} results may follow a message", kMaxCalls));
    }
  }
}

}  // namespace pleiad::api
