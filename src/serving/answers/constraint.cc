#include "serving/answers/constraint.h"

#include <utility>

#include "constrain/grammars/text_grammar.h"
#include "constrain/schema/parameter_path.h"
#include "serving/request_error.h"

namespace pleiad::serving {
namespace {

using ConstraintPtr = std::unique_ptr<sampling::TokenConstraint>;

ConstraintPtr checked(Result<ConstraintPtr> made, const std::string& field) {
  if (made) return std::move(made).value();
  const std::string_view path = constrain::leading_path(made.message());
  ServiceError error{ServiceError::Code::bad_request, made.message(),
                     path.empty() ? field : std::string(path)};
  error.log_field = field;  // behind it stand the client's own names
  throw RequestError(std::move(error));
}

bool has_format(const AnswerRequest& request) {
  return request.format && !request.format->is_null();
}

bool must_call(const AnswerRequest& request) {
  using Kind = ToolChoice::Kind;
  const Kind kind = request.tool_choice.kind;
  return kind == Kind::named || kind == Kind::required;
}

}  // namespace

std::string form_field(const AnswerRequest& request) {
  return has_format(request) && !must_call(request) ? request.format_path : "tools";
}

ConstraintPtr make_constraint(constrain::ReplyForms& forms, const AnswerRequest& request,
                              const text::ReplyOptions& reply, std::vector<std::string>& warnings) {
  const bool is_chat = request.form == AnswerRequest::Form::chat;
  const constrain::Start start = is_chat ? constrain::start_of(reply) : constrain::Start::at_once;
  const ToolChoice& choice = request.tool_choice;
  const bool may_call = is_chat && choice.kind == ToolChoice::Kind::automatic &&
                        request.tools.is_array() && !request.tools.empty();
  const auto scope = static_cast<std::uint64_t>(request.cache_scope);
  const bool goes_on = is_chat && !reply.started_in_thinking && !reply.begun.empty();
  constrain::ToolPolicy policy;
  if (choice.kind == ToolChoice::Kind::named) policy.name = choice.name;
  policy.must_call = must_call(request);
  policy.paths = request.tool_paths;
  policy.any_order = request.any_property_order;
  if (policy.must_call || (may_call && !has_format(request))) {
    policy.parallel = policy.must_call && choice.parallel;
    return checked(forms.tools(scope, request.tools, policy, start, &warnings), "tools");
  }
  if (!has_format(request)) return nullptr;
  const bool is_grammar = constrain::grammars::is_text_grammar(*request.format);
  const std::string& field = request.format_path;
  if (may_call && !goes_on && !is_grammar) {
    policy.parallel = choice.parallel;
    return checked(
        forms.tools_or_json(scope, request.tools, policy, *request.format, start, &warnings, field),
        field);
  }
  return checked(
      forms.json(scope, *request.format, start, goes_on ? reply.begun : std::string_view(),
                 &warnings, field, request.any_property_order),
      field);
}

}  // namespace pleiad::serving
