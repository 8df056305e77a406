#pragma once

#include <memory>
#include <string>
#include <vector>

#include "constrain/replies/reply_forms.h"
#include "sampling/token_constraint.h"
#include "serving/answer.h"
#include "text/reply_parser.h"

namespace pleiad::serving {

/// The form that a request asks of its reply: a call where a tool must be called, else its
/// `format`, or calls in its place where there are tools; else that of the calls that stand in its
/// text; null where it asks for none. What of a
/// schema cannot be enforced is added to `warnings`. Throws RequestError.
std::unique_ptr<sampling::TokenConstraint> make_constraint(constrain::ReplyForms& forms,
                                                           const AnswerRequest& request,
                                                           const text::ReplyOptions& reply,
                                                           std::vector<std::string>& warnings);

/// The path of what says in the request what its reply must be: its format's, or "tools".
std::string form_field(const AnswerRequest& request);

}  // namespace pleiad::serving
