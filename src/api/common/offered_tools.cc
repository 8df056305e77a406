#include "api/common/offered_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/common/request_error.h"
#include "api/common/request_json.h"

namespace pleiad::api {
namespace {

auto declaration_of(const Json& tools, std::string_view name) {
  return std::ranges::find_if(tools, [&](const Json& tool) { return offered_name(tool) == name; });
}

/// All that a declaration says but for the words about it.
Json without_description(const Json& tool) {
  Json function = tool["function"];
  function.erase("description");
  return function;
}

}  // namespace

const std::string& offered_name(const Json& tool) {
  return tool["function"]["name"].get_ref<const std::string&>();
}

bool is_offered(const serving::AnswerRequest& request, std::string_view name) {
  return declaration_of(request.tools, name) != request.tools.end();
}

void offer_tool(serving::AnswerRequest& request, Json tool, std::string path,
                const std::string& name_path) {
  const std::string& name = offered_name(tool);
  const auto before = declaration_of(request.tools, name);
  if (before != request.tools.end() && without_description(*before) != without_description(tool)) {
    throw RequestError(
        name_path, fmt::format("{} is declared before, with another schema; names of tools must "
                               "be unique",
                               describe(Json(name))));
  }
  request.tools.push_back(std::move(tool));
  if (!path.empty()) request.tool_paths.push_back(std::move(path));
}

}  // namespace pleiad::api
