#pragma once

#include <memory>

#include "constrain/replies/reply_forms.h"
#include "sampling/token_constraint.h"
#include "serving/answer.h"

namespace pleiad::serving {

/// What make_constraint() gave, with the grammars of the request's tools that take one text. Throws
/// RequestError that names a grammar's field.
std::unique_ptr<sampling::TokenConstraint> with_tool_inputs(
    constrain::ReplyForms& forms, const AnswerRequest& request,
    std::unique_ptr<sampling::TokenConstraint> calls);

}  // namespace pleiad::serving
