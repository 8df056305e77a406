#pragma once

#include <memory>
#include <string>
#include <vector>

#include "constrain/replies/asked_form.h"
#include "constrain/replies/reply_forms.h"
#include "sampling/token_constraint.h"
#include "serving/answer.h"
#include "text/reply_parser.h"

namespace pleiad::serving {

/// What a request says of the form of its reply, which is read with these options. It refers to
/// both.
constrain::AskedForm asked_form(const AnswerRequest& request, const text::ReplyOptions& reply);

/// The form that a request asks of its reply; null where it asks for none. What of a schema cannot
/// be enforced is added to `warnings`. Throws RequestError.
std::unique_ptr<sampling::TokenConstraint> make_constraint(constrain::ReplyForms& forms,
                                                           const AnswerRequest& request,
                                                           const text::ReplyOptions& reply,
                                                           std::vector<std::string>& warnings);

/// The path of what says in the request what its reply must be: its format's, or "tools".
std::string form_field(const AnswerRequest& request);

}  // namespace pleiad::serving
