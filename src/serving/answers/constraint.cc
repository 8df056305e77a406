#include "serving/answers/constraint.h"

#include <utility>

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
  const ToolChoice::Kind kind = request.tool_choice.kind;
  return kind == ToolChoice::Kind::named || kind == ToolChoice::Kind::required;
}

}  // namespace

std::string form_field(const AnswerRequest& request) {
  return has_format(request) && !must_call(request) ? request.format_path : "tools";
}

constrain::AskedForm asked_form(const AnswerRequest& request, const text::ReplyOptions& reply) {
  const ToolChoice& choice = request.tool_choice;
  const bool is_chat = request.form == AnswerRequest::Form::chat;
  const bool may_call = is_chat && choice.kind == ToolChoice::Kind::automatic &&
                        request.tools.is_array() && !request.tools.empty();
  constrain::AskedForm asked;
  if (request.format) asked.format = &*request.format;
  asked.format_path = request.format_path;
  if (must_call(request) || may_call) asked.tools = &request.tools;
  if (choice.kind == ToolChoice::Kind::named) asked.policy.name = choice.name;
  asked.policy.must_call = must_call(request);
  asked.policy.parallel = choice.parallel;
  asked.policy.paths = request.tool_paths;
  asked.policy.any_order = request.any_property_order;
  asked.scope = static_cast<std::uint64_t>(request.cache_scope);
  if (is_chat) asked.start = constrain::start_of(reply);
  if (is_chat && !reply.started_in_thinking) asked.begun = reply.begun;
  return asked;
}

ConstraintPtr make_constraint(constrain::ReplyForms& forms, const AnswerRequest& request,
                              const text::ReplyOptions& reply, std::vector<std::string>& warnings) {
  const constrain::AskedForm asked = asked_form(request, reply);
  return checked(constrain::make_asked_form(forms, asked, warnings), form_field(request));
}

}  // namespace pleiad::serving
