#pragma once

#include "api/common/field_reader.h"
#include "api/common/request_notes.h"
#include "serving/answer.h"

namespace pleiad::api::openai {

/// The form that a request asks of its reply, as AnswerRequest::format: response_format; vLLM's
/// structured_outputs and guided_json, guided_regex, guided_choice, guided_grammar; llama.cpp's
/// grammar and json_schema; SGLang's regex and ebnf. Throws RequestError, also where there is more
/// than one.
void read_reply_form(FieldReader& body, serving::AnswerRequest& request, RequestNotes& notes);

/// The same without response_format, for an API that has another field for it, which was read.
void read_local_reply_form(FieldReader& body, serving::AnswerRequest& request, RequestNotes& notes);

}  // namespace pleiad::api::openai
