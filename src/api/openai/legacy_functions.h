#pragma once

#include "api/common/field_reader.h"
#include "api/common/request_notes.h"
#include "serving/answer.h"

namespace pleiad::api::openai {

/// `functions` and `function_call`, which were there before `tools`. True where the request has one
/// of them: its calls are answered as `function_call`, one at most. Throws RequestError, also where
/// tools are given beside them.
bool read_legacy_functions(FieldReader& body, serving::AnswerRequest& request, RequestNotes& notes);

/// An assistant's message's `function_call`, where there is one, as the list of its tool calls;
/// null where there is none.
Json legacy_call(FieldReader& message, RequestNotes& notes);

/// The id by which a message of role "function" answers the call of that function before it:
/// such calls have none of their own.
std::string legacy_call_id(const std::string& function);

}  // namespace pleiad::api::openai
