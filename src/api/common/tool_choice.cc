#include "api/common/tool_choice.h"

#include <fmt/format.h>

#include "api/common/offered_tools.h"
#include "api/common/request_error.h"
#include "api/common/request_json.h"

namespace pleiad::api {

using Kind = serving::ToolChoice::Kind;

Kind read_choice_word(FieldReader& fields, std::string_view key) {
  const std::string word = *fields.one_of(key, {"none", "auto", "required"});
  return word == "none" ? Kind::none : word == "auto" ? Kind::automatic : Kind::required;
}

void check_tool_choice(FieldReader& body, const serving::AnswerRequest& request,
                       const std::string& path, const std::string& name_path) {
  const serving::ToolChoice& choice = request.tool_choice;
  if (choice.kind != Kind::required && choice.kind != Kind::named) return;
  if (request.tools.empty()) {
    const Json* declared = body.value("tools");
    const bool has_others = declared && declared->is_array() && !declared->empty();
    throw RequestError(path, fmt::format("a tool call is asked for, but no tools are given{}",
                                         has_others ? " that the model may call" : ""));
  }
  if (choice.kind == Kind::named && !is_offered(request, choice.name)) {
    refuse_unknown_tool(name_path, "tool", choice.name);
  }
}

void refuse_unknown_tool(const std::string& path, std::string_view kind, const std::string& name) {
  throw RequestError(path, fmt::format("no {} is named {}", kind, describe(Json(name))));
}

}  // namespace pleiad::api
