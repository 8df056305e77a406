#include "api/ollama/tool_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/common/options.h"
#include "api/common/request_error.h"
#include "api/common/request_json.h"

namespace pleiad::api::ollama {
namespace {

using Kind = serving::ToolChoice::Kind;

std::string chosen_name(const Json& given, const std::string& path,
                        std::vector<std::string>& warnings) {
  FieldReader choice(given, path);
  if (choice.one_of("type", {"function"}) != "function") choice.refuse("type", "\"function\"");
  auto function = choice.child("function");
  if (!function) choice.refuse("function", "an object with \"name\"");
  std::string name = function->required_text("name");
  warn_of_unknown(*function, warnings);
  warn_of_unknown(choice, warnings);
  return name;
}

}  // namespace

void read_tool_choice(FieldReader& request, serving::AnswerRequest& answer,
                      std::vector<std::string>& warnings) {
  serving::ToolChoice& choice = answer.tool_choice;
  const Json* given = request.value("tool_choice");
  if (!given) return;
  const std::string path = request.path_of("tool_choice");
  if (given->is_string()) {
    const std::string word = *request.one_of("tool_choice", {"none", "auto", "required"});
    choice.kind = word == "none" ? Kind::none : word == "auto" ? Kind::automatic : Kind::required;
  } else if (given->is_object()) {
    choice.kind = Kind::named;
    choice.name = chosen_name(*given, path, warnings);
  } else {
    request.refuse("tool_choice",
                   "\"none\", \"auto\", \"required\" or a function's name in an object");
  }
  if (choice.kind != Kind::required && choice.kind != Kind::named) return;
  if (answer.tools.empty()) {
    throw RequestError(path, "a tool call is asked for, but no tools are given");
  }
  const bool is_offered =
      choice.kind == Kind::required ||
      std::any_of(answer.tools.begin(), answer.tools.end(),
                  [&](const Json& tool) { return tool["function"]["name"] == choice.name; });
  if (is_offered) return;
  throw RequestError(path + ".function.name",
                     fmt::format("no tool is named {}", describe(Json(choice.name))));
}

}  // namespace pleiad::api::ollama
