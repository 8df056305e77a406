#include "api/openai/tool_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/common/offered_tools.h"
#include "api/common/options.h"
#include "api/common/request_error.h"
#include "api/common/request_json.h"
#include "api/common/tool_choice.h"
#include "api/openai/shared_fields.h"

namespace pleiad::api::openai {
namespace {

std::string_view kind_of(std::string_view type) {
  return type == "custom" ? "custom tool" : "tool";
}

/// The name of a tool that is referred to.
std::string referred_name(FieldReader& tool, ToolForm form, const std::string& type,
                          RequestNotes& notes) {
  std::optional<FieldReader> nested;
  std::string name = tool_name(tool_fields(tool, nested, form, type));
  if (form == ToolForm::flat) name = full_name(tool.text("namespace").value_or(""), name);
  if (nested) notes.unknown(*nested);
  notes.unknown(tool);
  return name;
}

/// Takes what is not allowed out of the request's tools: the model is not told of it.
void read_allowed_tools(FieldReader& allowed, ToolForm form, const CustomTools& custom,
                        serving::AnswerRequest& request, RequestNotes& notes) {
  const auto mode = allowed.one_of("mode", {"auto", "required"});
  if (!mode) allowed.refuse("mode", "\"auto\" or \"required\"");
  const Json* tools = allowed.list("tools", kMaxTools);
  if (!tools) allowed.refuse("tools", "a list of tools");
  std::set<std::string, std::less<>> offered;
  for (const Json& tool : request.tools) offered.insert(offered_name(tool));
  std::set<std::string, std::less<>> names;
  for (std::size_t i = 0; i < tools->size(); ++i) {
    FieldReader tool((*tools)[i], element_path(allowed.path_of("tools"), i));
    const std::string type = tool.required_text("type");
    if (type != "function" && type != "custom") {
      notes.left_out(tool.path_of("type"), kNoSuchTool);
      continue;
    }
    std::string name = referred_name(tool, form, type, notes);
    if (!offered.contains(name) || custom.contains(name) != (type == "custom")) {
      refuse_unknown_tool(allowed.path_of("tools"), kind_of(type), name);
    }
    names.insert(std::move(name));
  }
  Json kept = Json::array();
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < request.tools.size(); ++i) {
    if (!names.contains(offered_name(request.tools[i]))) continue;
    kept.push_back(std::move(request.tools[i]));
    paths.push_back(std::move(request.tool_paths[i]));
  }
  request.tools = std::move(kept);
  request.tool_paths = std::move(paths);
  request.tool_choice.kind = *mode == "required" ? serving::ToolChoice::Kind::required
                                                 : serving::ToolChoice::Kind::automatic;
}

void read_chosen(const Json& json, const std::string& path, ToolForm form,
                 const CustomTools& custom, serving::AnswerRequest& request, RequestNotes& notes) {
  FieldReader chosen(json, path);
  const std::string type = chosen.required_text("type");
  if (type == "allowed_tools") {
    std::optional<FieldReader> nested;
    FieldReader& allowed = tool_fields(chosen, nested, form, type);
    read_allowed_tools(allowed, form, custom, request, notes);
    if (nested) notes.unknown(*nested);
    return notes.unknown(chosen);
  }
  if (type != "function" && type != "custom") {
    chosen.refuse("type",
                  "\"function\", \"custom\" or \"allowed_tools\", for the server runs no "
                  "tools itself");
  }
  request.tool_choice.kind = serving::ToolChoice::Kind::named;
  request.tool_choice.name = referred_name(chosen, form, type, notes);
  const std::string& name = request.tool_choice.name;
  if (is_offered(request, name) && custom.contains(name) != (type == "custom")) {
    refuse_unknown_tool(path, kind_of(type), name);
  }
}

}  // namespace

void read_tool_choice(FieldReader& body, ToolForm form, const CustomTools& custom,
                      serving::AnswerRequest& request, RequestNotes& notes) {
  serving::ToolChoice& choice = request.tool_choice;
  choice.parallel = body.flag("parallel_tool_calls").value_or(true);
  const Json* given = body.value("tool_choice");
  if (!given) return;
  if (given->is_string()) {
    choice.kind = read_choice_word(body, "tool_choice");
  } else if (!given->is_object()) {
    body.refuse("tool_choice", "\"none\", \"auto\", \"required\" or an object");
  } else {
    read_chosen(*given, body.path_of("tool_choice"), form, custom, request, notes);
  }
  check_tool_choice(body, request, "tool_choice", "tool_choice");
}

}  // namespace pleiad::api::openai
