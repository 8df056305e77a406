#include "api/common/tool_choice.h"

#include <fmt/format.h>

#include "api/common/offered_tools.h"
#include "api/common/request_error.h"
#include "api/common/request_json.h"

namespace pleiad::api {

using Kind = serving::ToolChoice::Kind;

namespace {

/// Whether it is the choice that leaves tools out ("allowed_tools"), not their types.
bool chooses_among(FieldReader& body) {
  const Json* choice = body.value("tool_choice");
  const Json* type = choice ? find_member(*choice, "type") : nullptr;
  return type && *type == "allowed_tools";
}

/// Throws for the first of tools that were all left out for their types; a namespace is of a right
/// one, and was empty.
void refuse_type(FieldReader& body, const Json& first) {
  const Json* type = find_member(first, "type");
  if (!type || *type == "namespace") return;
  throw RequestError(element_path(body.path_of("tools"), 0) + ".type",
                     fmt::format("there are no tools of type {} here, so none is left, and a tool "
                                 "call is asked for",
                                 describe(*type)));
}

}  // namespace

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
    if (has_others && !chooses_among(body)) refuse_type(body, declared->front());
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
