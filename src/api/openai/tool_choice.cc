#include "api/openai/tool_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/common/options.h"
#include "api/common/request_error.h"
#include "api/common/request_json.h"
#include "api/openai/shared_fields.h"

namespace pleiad::api::openai {
namespace {

bool is_offered(const serving::AnswerRequest& request, std::string_view name) {
  return std::any_of(request.tools.begin(), request.tools.end(),
                     [&](const Json& tool) { return offered_name(tool) == name; });
}

[[noreturn]] void refuse_unknown(const std::string& path, const std::string& type,
                                 const std::string& name) {
  throw RequestError(path,
                     fmt::format("no {} is named {}", type == "custom" ? "custom tool" : "tool",
                                 describe(Json(name))));
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
      refuse_unknown(allowed.path_of("tools"), type, name);
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
    refuse_unknown(path, type, name);
  }
}

}  // namespace

void read_tool_choice(FieldReader& body, ToolForm form, const CustomTools& custom,
                      serving::AnswerRequest& request, RequestNotes& notes) {
  using Kind = serving::ToolChoice::Kind;
  serving::ToolChoice& choice = request.tool_choice;
  choice.parallel = body.flag("parallel_tool_calls").value_or(true);
  const Json* given = body.value("tool_choice");
  if (!given) return;
  if (given->is_string()) {
    const std::string word = *body.one_of("tool_choice", {"none", "auto", "required"});
    choice.kind = word == "none" ? Kind::none : word == "auto" ? Kind::automatic : Kind::required;
  } else {
    read_chosen(*given, body.path_of("tool_choice"), form, custom, request, notes);
  }
  check_tool_choice(request, "tool_choice");
}

void check_tool_choice(const serving::AnswerRequest& request, std::string_view path) {
  using Kind = serving::ToolChoice::Kind;
  const serving::ToolChoice& choice = request.tool_choice;
  if (choice.kind != Kind::required && choice.kind != Kind::named) return;
  if (request.tools.empty()) {
    throw RequestError(std::string(path), "a tool call is asked for, but no tools are given");
  }
  if (choice.kind == Kind::named && !is_offered(request, choice.name)) {
    refuse_unknown(std::string(path), "function", choice.name);
  }
}

}  // namespace pleiad::api::openai
