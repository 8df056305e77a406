#pragma once

#include <memory>

#include "constrain/reply_forms.h"
#include "sampling/token_constraint.h"
#include "serving/answer.h"
#include "text/reply_parser.h"

namespace pleiad::serving {

/// The form that a request asks of its reply: a call where a tool must be called, else its
/// `format`; null where it asks for neither. Throws RequestError.
std::unique_ptr<sampling::TokenConstraint> make_constraint(constrain::ReplyForms& forms,
                                                           const AnswerRequest& request,
                                                           const text::ReplyOptions& reply);

}  // namespace pleiad::serving
