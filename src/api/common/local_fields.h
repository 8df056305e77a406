#pragma once

#include "api/common/field_reader.h"
#include "api/common/request_notes.h"
#include "serving/answer.h"

namespace pleiad::api {

/// Fields that clients of local servers (llama.cpp's, vLLM, Ollama's own) send to OpenAI's and
/// Anthropic's routes: think, chat_template_kwargs, num_ctx, repeat_penalty, repetition_penalty,
/// typical_p, cache_prompt, stop_token_ids, mm_processor_kwargs, max_soft_tokens, and limits of
/// thoughts and repetitions (read_foreign_limits()). Fields of the API's own overrule them. Throws
/// RequestError.
void read_local_fields(FieldReader& body, serving::AnswerRequest& request, RequestNotes& notes);

}  // namespace pleiad::api
