#include "api/openai/legacy_functions.h"

#include <string>

#include "api/common/offered_tools.h"
#include "api/common/options.h"
#include "api/common/request_error.h"
#include "api/common/tool_choice.h"
#include "api/openai/chat_messages.h"
#include "api/openai/tools.h"

namespace pleiad::api::openai {
namespace {

void read_function_call(FieldReader& body, serving::AnswerRequest& request, RequestNotes& notes) {
  using Kind = serving::ToolChoice::Kind;
  serving::ToolChoice& choice = request.tool_choice;
  const Json* given = body.value("function_call");
  if (!given) return;
  if (given->is_string()) {
    choice.kind =
        *body.one_of("function_call", {"none", "auto"}) == "none" ? Kind::none : Kind::automatic;
    return;
  }
  FieldReader named(*given, body.path_of("function_call"));
  choice.kind = Kind::named;
  choice.name = named.required_text("name");
  notes.unknown(named);
  check_tool_choice(body, request, "function_call", "function_call");
}

}  // namespace

bool read_legacy_functions(FieldReader& body, serving::AnswerRequest& request,
                           RequestNotes& notes) {
  const Json* functions = body.list("functions", kMaxTools);
  const bool has_choice = body.has("function_call");
  if (!functions && !has_choice) return false;
  if (body.has("tools") || body.has("tool_choice")) {
    throw RequestError(functions ? "functions" : "function_call",
                       "given beside tools: a request has functions or tools");
  }
  for (std::size_t i = 0; functions && i < functions->size(); ++i) {
    FieldReader function((*functions)[i], element_path(body.path_of("functions"), i));
    offer_tool(request, function_tool(function), function.path_of("parameters"),
               function.path_of("name"));
    notes.unknown(function);
  }
  request.tool_choice.parallel = false;
  read_function_call(body, request, notes);
  return true;
}

Json legacy_call(FieldReader& message, RequestNotes& notes) {
  auto call = message.child("function_call");
  if (!call) return nullptr;
  if (message.has("tool_calls")) {
    throw RequestError(message.path_of("function_call"),
                       "given beside tool_calls: a message has one of them");
  }
  const std::string name = call->required_text("name");
  Json read = {{"id", legacy_call_id(name)},
               {"type", "function"},
               {"function", {{"name", name}, {"arguments", read_arguments(*call, "arguments")}}}};
  notes.unknown(*call);
  return Json::array({std::move(read)});
}

std::string legacy_call_id(const std::string& function) { return "function_call:" + function; }

}  // namespace pleiad::api::openai
