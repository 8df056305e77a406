#include "api/openai/responses/tool_items.h"

#include <algorithm>
#include <array>
#include <utility>

#include "api/openai/chat_messages.h"
#include "api/openai/media_part.h"

namespace pleiad::api::openai {
namespace {

constexpr std::array kOfOtherTools = std::to_array<std::string_view>({
    "additional_tools",
    "apply_patch_call",
    "apply_patch_call_output",
    "code_interpreter_call",
    "computer_call",
    "computer_call_output",
    "file_search_call",
    "image_generation_call",
    "local_shell_call",
    "local_shell_call_output",
    "mcp_approval_request",
    "mcp_approval_response",
    "mcp_call",
    "mcp_list_tools",
    "program",
    "program_output",
    "shell_call",
    "shell_call_output",
    "tool_search_call",
    "tool_search_output",
    "web_search_call",
});

}  // namespace

std::string item_id(FieldReader& item, std::string_view prefix, IdSource& ids) {
  const auto id = item.text("id");
  return id && !id->empty() ? *id : ids.make(prefix);
}

void skip_status(FieldReader& item) {
  (void)item.one_of("status", {"in_progress", "completed", "incomplete"});
}

Json read_custom_call_item(FieldReader& item, IdSource& ids) {
  skip_status(item);
  Json read = {{"id", item_id(item, "ctc_", ids)},
               {"type", "custom_tool_call"},
               {"status", "completed"},
               {"call_id", item.text("call_id").value_or("")},
               {"name", item.required_text("name")},
               {"input", item.required_text("input")}};
  if (auto space = item.text("namespace")) read["namespace"] = *space;
  return read;
}

Json read_output_item(FieldReader& item, std::string_view type, IdSource& ids,
                      RequestNotes& notes) {
  Json output = read_content(
      item, "output", {"input_text", "text"}, notes,
      [&](FieldReader& part, const std::string&) { return keep_media_part(part, notes); });
  if (output.is_null()) item.refuse("output", "a string or a list of parts");
  for (Json& part : output) {
    if (part.is_object() && part["type"] == "text") part["type"] = "input_text";
  }
  skip_status(item);
  (void)item.text("name");  // the call that it answers names the function
  return {{"id", item_id(item, type == "function_call_output" ? "fco_" : "ctco_", ids)},
          {"type", type},
          {"status", "completed"},
          {"call_id", item.text("call_id").value_or("")},
          {"output", std::move(output)}};
}

bool is_of_other_tools(std::string_view type) {
  return std::find(kOfOtherTools.begin(), kOfOtherTools.end(), type) != kOfOtherTools.end();
}

}  // namespace pleiad::api::openai
