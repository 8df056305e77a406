#include "serving/answers/tool_inputs.h"

#include <string>
#include <utility>

#include "serving/request_error.h"

namespace pleiad::serving {

std::unique_ptr<sampling::TokenConstraint> with_tool_inputs(
    constrain::ReplyForms& forms, const AnswerRequest& request,
    std::unique_ptr<sampling::TokenConstraint> calls) {
  const bool may_call = request.form == AnswerRequest::Form::chat &&
                        request.tool_choice.kind != ToolChoice::Kind::none &&
                        request.tools.is_array();
  if (!calls || !may_call) return calls;
  auto held = forms.grammars().tool_inputs(static_cast<std::uint64_t>(request.cache_scope),
                                           request.tools, std::move(calls), request.tool_paths);
  if (!held) {
    throw RequestError(ServiceError::Code::bad_request, held.message(),
                       held.message().substr(0, held.message().find(':')));
  }
  return std::move(held).value();
}

}  // namespace pleiad::serving
