#include "api/openai/tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "api/common/offered_tools.h"
#include "api/common/options.h"
#include "api/common/request_error.h"
#include "api/common/request_json.h"
#include "api/openai/shared_fields.h"
#include "constrain/grammars/text_grammar.h"

namespace pleiad::api::openai {
namespace {

constexpr std::size_t kLongestNamespace = 128;  // it stands in the name of each of its tools

/// A grammar becomes a part of the description, which is all that the model learns of it, and is
/// what calls are held to (constrain::grammars::input_grammar()); null where there is none. `path`
/// becomes the grammar's.
Json describe_format(FieldReader& format, ToolForm form, std::string& description,
                     std::string& path, RequestNotes& notes) {
  Json held;
  const auto type = format.one_of("type", {"text", "grammar"});
  if (!type) format.refuse("type", "\"text\" or \"grammar\"");
  if (*type == "grammar") {
    std::optional<FieldReader> nested;
    FieldReader& grammar = tool_fields(format, nested, form, "grammar");
    const auto syntax = grammar.one_of("syntax", {"lark", "regex"});
    if (!syntax) grammar.refuse("syntax", "\"lark\" or \"regex\"");
    const std::string definition = grammar.required_text("definition");
    if (!description.empty()) description += "\n\n";
    description += *syntax == "lark"
                       ? fmt::format("The input follows this Lark grammar:\n{}", definition)
                       : fmt::format("The input matches this regular expression: {}", definition);
    held = constrain::grammars::text_grammar(*syntax, definition);
    path = grammar.path_of("definition");
    if (nested) notes.unknown(*nested);
  }
  notes.unknown(format);
  return held;
}

Json custom_tool(FieldReader& tool, ToolForm form, std::string& path, RequestNotes& notes) {
  const std::string name = tool_name(tool);
  std::string description = tool.text("description").value_or("");
  Json held;
  if (auto format = tool.child("format")) {
    held = describe_format(*format, form, description, path, notes);
  }
  Json function = {{"name", name},
                   {"parameters",
                    {{"type", "object"},
                     {"properties", {{kCustomInput, {{"type", "string"}}}}},
                     {"required", Json::array({kCustomInput})}}}};
  if (!description.empty()) function["description"] = description;
  if (!held.is_null()) function["format"] = std::move(held);
  return {{"type", "function"}, {"function", std::move(function)}};
}

/// Reads a request's tools.
class ToolReader {
  using Meaning = std::array<std::string, 3>;  // a tool's type, its namespace, its name there

 public:
  ToolReader(ToolForm form, serving::AnswerRequest& request, RequestNotes& notes)
      : form_(form), request_(request), notes_(notes) {}

  /// False where it is left out.
  bool read(const Json& json, const std::string& path) {
    FieldReader tool(json, path);
    const std::string type = tool.required_text("type");
    if (type == "namespace" && form_ == ToolForm::flat) {
      read_namespace(tool);
    } else if (type == "function" || type == "custom") {
      read_tool(tool, type, {});
    } else {
      leave_out(tool, type);
      return false;
    }
    return true;
  }

  ToolNames take() {
    if (!left_out_.empty()) {
      notes_.left_out(first_left_out_,
                      fmt::format("there are no tools of type {} here; the model does not see them",
                                  left_out_));
    }
    return std::move(names_);
  }

 private:
  void read_tool(FieldReader& tool, const std::string& type, const std::string& space) {
    if (request_.tools.size() == kMaxTools) {
      throw RequestError("tools", fmt::format("more than {} tools", kMaxTools));
    }
    std::optional<FieldReader> nested;
    FieldReader& fields = tool_fields(tool, nested, form_, type);
    std::string path = fields.path_of("parameters");
    Json read = type == "custom" ? custom_tool(fields, form_, path, notes_) : function_tool(fields);
    const std::string own_name = offered_name(read);
    const std::string name = full_name(space, own_name);
    read["function"]["name"] = name;
    // A name must not stand for two kinds.
    const Meaning meaning = {type, space, own_name};
    if (meanings_.try_emplace(name, meaning).first->second != meaning) {
      throw RequestError(fields.path_of("name"),
                         fmt::format("{} stands for two tools", describe(Json(name))));
    }
    if (type == "custom") names_.custom.insert(name);
    if (!space.empty()) names_.namespaced.insert_or_assign(name, NamespacedTool{space, own_name});
    offer_tool(request_, std::move(read), std::move(path), fields.path_of("name"));
    if (nested) {
      (void)tool.value("cache_control");
      notes_.unknown(*nested);
    }
    notes_.unknown(tool);
  }

  /// What is said of a namespace is said once, with its first tool.
  void read_namespace(FieldReader& fields) {
    const std::string space = tool_name(fields);
    if (space.size() > kLongestNamespace) {
      fields.refuse("name", fmt::format("at most {} bytes", kLongestNamespace));
    }
    const std::string description = fields.text("description").value_or("");
    const std::size_t first = request_.tools.size();
    const Json* tools = fields.list("tools", kMaxTools);
    for (std::size_t i = 0; tools && i < tools->size(); ++i) {
      FieldReader tool((*tools)[i], element_path(fields.path_of("tools"), i));
      const std::string type = tool.required_text("type");
      if (type == "function" || type == "custom") {
        read_tool(tool, type, space);
      } else {
        leave_out(tool, type);
      }
    }
    if (!description.empty() && request_.tools.size() > first) {
      Json& function = request_.tools[first]["function"];
      const std::string own = function.value("description", "");
      function["description"] = fmt::format("{}{}(Of all tools of {}: {})", own,
                                            own.empty() ? "" : "\n\n", space, description);
    }
    notes_.unknown(fields);
  }

  void leave_out(FieldReader& tool, const std::string& type) {
    if (first_left_out_.empty()) first_left_out_ = tool.path_of("type");
    constexpr std::size_t kNamed = 8;
    if (left_out_types_.size() > kNamed || !left_out_types_.insert(type).second) return;
    if (!left_out_.empty()) left_out_ += ", ";
    left_out_ += left_out_types_.size() > kNamed ? "and others" : describe(Json(type));
  }

  const ToolForm form_;
  serving::AnswerRequest& request_;
  RequestNotes& notes_;
  ToolNames names_;
  std::map<std::string, Meaning> meanings_;  // by full name
  std::set<std::string, std::less<>> left_out_types_;
  std::string first_left_out_, left_out_;
};

}  // namespace

FieldReader& tool_fields(FieldReader& tool, std::optional<FieldReader>& nested, ToolForm form,
                         const std::string& type) {
  if (tool.has(type)) return nested.emplace(*tool.child(type));
  // Clients of both APIs send to one what they have for the other.
  const bool is_flat = tool.has("name") || tool.has("mode") || tool.has("syntax");
  if (form == ToolForm::nested && !is_flat) tool.refuse(type, "an object");
  return tool;
}

std::string tool_name(FieldReader& tool) {
  std::string name = tool.required_text("name");
  if (name.empty()) tool.refuse("name", "a name that is not empty");
  return name;
}

std::string full_name(std::string_view space, std::string_view name) {
  return space.empty() ? std::string(name) : fmt::format("{}__{}", space, name);
}

ToolNames read_tools(FieldReader& body, ToolForm form, serving::AnswerRequest& request,
                     RequestNotes& notes, const std::function<void(const Json& tool)>& offered) {
  ToolReader reader(form, request, notes);
  const Json* tools = body.list("tools", kMaxTools);
  for (std::size_t i = 0; tools && i < tools->size(); ++i) {
    const Json& tool = (*tools)[i];
    if (reader.read(tool, element_path(body.path_of("tools"), i)) && offered) offered(tool);
  }
  return reader.take();
}

Json function_tool(FieldReader& function) {
  Json described = {{"name", tool_name(function)}};
  if (auto description = function.text("description")) described["description"] = *description;
  if (const Json* parameters = function.object("parameters")) described["parameters"] = *parameters;
  // Arguments follow the schema in any case; with it, a keyword that cannot be enforced is refused.
  if (function.flag("strict").value_or(false)) described["strict"] = true;
  return {{"type", "function"}, {"function", std::move(described)}};
}

std::string custom_input(const Json& arguments) {
  if (!arguments.is_object())
    return arguments.is_string() ? arguments.get<std::string>() : to_text(arguments);
  const auto input = arguments.find(kCustomInput);
  if (input != arguments.end() && input->is_string()) return input->get<std::string>();
  if (arguments.size() == 1 && arguments.front().is_string()) {
    return arguments.front().get<std::string>();
  }
  return to_text(arguments);
}

Json custom_arguments(std::string input) {
  Json arguments = Json::object();
  arguments[std::string(kCustomInput)] = std::move(input);
  return arguments;
}

}  // namespace pleiad::api::openai
