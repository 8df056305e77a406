#include "serving/constraint.h"

#include <utility>

#include "constrain/grammars/text_grammar.h"
#include "serving/request_error.h"

namespace pleiad::serving {
namespace {

using ConstraintPtr = std::unique_ptr<sampling::TokenConstraint>;

ConstraintPtr checked(Result<ConstraintPtr> made, std::string field) {
  if (!made) throw RequestError(ServiceError::Code::bad_request, made.message(), std::move(field));
  return std::move(made).value();
}

}  // namespace

ConstraintPtr make_constraint(constrain::ReplyForms& forms, const AnswerRequest& request,
                              const text::ReplyOptions& reply, std::vector<std::string>& warnings) {
  const bool is_chat = request.form == AnswerRequest::Form::chat;
  const constrain::Start start = is_chat ? constrain::start_of(reply) : constrain::Start::at_once;
  const ToolChoice& choice = request.tool_choice;
  const bool is_named = choice.kind == ToolChoice::Kind::named;
  const bool must_call = is_named || choice.kind == ToolChoice::Kind::required;
  const bool has_format = request.format && !request.format->is_null();
  const bool may_call = is_chat && choice.kind == ToolChoice::Kind::automatic &&
                        request.tools.is_array() && !request.tools.empty();
  const auto scope = static_cast<std::uint64_t>(request.cache_scope);
  if (must_call || (may_call && !has_format)) {
    constrain::ToolPolicy policy;
    if (is_named) policy.name = choice.name;
    policy.parallel = must_call && choice.parallel;
    policy.must_call = must_call;
    return checked(forms.tools(scope, request.tools, policy, start, &warnings), "tools");
  }
  if (!has_format) return nullptr;
  const bool goes_on = is_chat && !reply.started_in_thinking;
  return checked(forms.json(scope, *request.format, start,
                            goes_on ? reply.begun : std::string_view(), &warnings),
                 constrain::grammars::field_of(*request.format));
}

}  // namespace pleiad::serving
