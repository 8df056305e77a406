#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "constrain/replies/reply_form.h"
#include "constrain/replies/reply_forms.h"
#include "constrain/replies/tool_constraint.h"
#include "sampling/token_constraint.h"

namespace pleiad::constrain {

/// What a request says of the form of its reply, whoever took the request.
struct AskedForm {
  const Json* format = nullptr;        // of the content; null, or a JSON null: any text
  std::string format_path = "format";  // where the request has it, for messages
  const Json* tools = nullptr;         // that the reply may call, or must; null: it may call none
  ToolPolicy policy;                   // of these; parallel: of as many calls as it likes
  std::uint64_t scope = 0;             // see ReplyForms
  Start start = Start::at_once;
  /// What the prompt has already of a content that has the form; see ReplyForms::json().
  std::string_view begun;

  bool has_format() const { return format && !format->is_null(); }
  bool must_call() const { return tools && policy.must_call; }
  bool is_of_calls() const { return tools && (policy.must_call || !has_format()); }
};

/// The form: a call where a tool must be called, else the format, or calls in its place where there
/// are tools; else that of the calls that stand in the text; null where nothing is asked for. What
/// of a schema cannot be enforced is added to `warnings`. The text that a tool takes has the
/// grammar that it declares. A Failure begins with the path in the request of what is wrong.
ReplyForms::Constraint make_asked_form(ReplyForms& forms, const AskedForm& asked,
                                       std::vector<std::string>& warnings);

/// What is to be told where not both of a format and tools can be had, "path: why"; else empty.
std::string unused_form(const AskedForm& asked);

/// What is to be told of a reply that `what` ended in the middle of its form, for all that is
/// known; `path`: where the request asks for the form.
std::string cut_form(std::string_view path, std::string_view what);

}  // namespace pleiad::constrain
