#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "api/common/field_reader.h"
#include "api/common/request_notes.h"
#include "serving/answer.h"

namespace pleiad::api::openai {

/// Chat completions write what describes a tool under its type ({"type": "function", "function":
/// {"name": ...}}), responses beside it ({"type": "function", "name": ...}).
enum class ToolForm : std::uint8_t { nested, flat };

/// Names of tools of type "custom": they take a text instead of arguments. The model sees each as
/// a function with one string, `input`.
using CustomTools = std::set<std::string, std::less<>>;

inline constexpr std::string_view kCustomInput = "input";

/// A tool of a namespace as the client names it. The model knows it by full_name().
struct NamespacedTool {
  std::string space;
  std::string name;
};
using NamespacedTools = std::map<std::string, NamespacedTool, std::less<>>;  // by full name

/// "crm__find"; "name" alone where there is no space.
std::string full_name(std::string_view space, std::string_view name);

/// Names that mean more than a function's.
struct ToolNames {
  CustomTools custom;          // full names
  NamespacedTools namespaced;  // in the flat form
};

/// `tools`: functions and custom tools, also those in a namespace, go to request.tools; others are
/// left out with a note. `offered` is told of each that is not left out. Throws RequestError.
ToolNames read_tools(FieldReader& body, ToolForm form, serving::AnswerRequest& request,
                     RequestNotes& notes,
                     const std::function<void(const Json& tool)>& offered = {});

/// The object that has a tool's name; `nested` holds it where it stands under its type. The other
/// API's form is taken too: `form` says what is expected where it is neither.
FieldReader& tool_fields(FieldReader& tool, std::optional<FieldReader>& nested, ToolForm form,
                         const std::string& type);
/// A name that is not empty.
std::string tool_name(FieldReader& fields);

/// A function's name, description, parameters and strict as the tool that a chat template knows.
/// `function` is the object that has these fields.
Json function_tool(FieldReader& function);

/// The text for a custom tool in the arguments that a model wrote. Where these are no `input`, as
/// the model writes what it likes unless a call is demanded: the only text that they have, or
/// their JSON.
std::string custom_input(const Json& arguments);

/// The other way round.
Json custom_arguments(std::string input);

}  // namespace pleiad::api::openai
