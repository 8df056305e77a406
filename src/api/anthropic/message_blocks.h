#pragma once

#include "api/common/field_reader.h"
#include "base/json.h"

namespace pleiad::api::anthropic {

/// `system` and `messages` with their blocks, in the form that AnswerRequest takes.
/// Throws RequestError.
Json read_messages(FieldReader& body);

/// Throws for the first field that nobody asked for.
void refuse_unknown(const FieldReader& fields);

}  // namespace pleiad::api::anthropic
