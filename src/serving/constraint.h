#pragma once

#include <memory>

#include "sampling/token_constraint.h"
#include "serving/answer.h"
#include "text/vocabulary.h"

namespace pleiad::serving {

/// The form that a request asks of its reply: a call of a tool, else its `format`; null
/// where it asks for none. Throws RequestError.
std::unique_ptr<sampling::TokenConstraint> make_constraint(const AnswerRequest& request,
                                                           const text::Vocabulary& vocabulary);

}  // namespace pleiad::serving
