#include "api/ollama/tool_choice.h"

#include "api/common/options.h"
#include "api/common/tool_choice.h"

namespace pleiad::api::ollama {
namespace {

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
    choice.kind = read_choice_word(request, "tool_choice");
  } else if (given->is_object()) {
    choice.kind = serving::ToolChoice::Kind::named;
    choice.name = chosen_name(*given, path, warnings);
  } else {
    request.refuse("tool_choice",
                   "\"none\", \"auto\", \"required\" or a function's name in an object");
  }
  check_tool_choice(request, answer, path, path + ".function.name");
}

}  // namespace pleiad::api::ollama
