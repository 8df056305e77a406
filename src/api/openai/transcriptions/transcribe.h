#pragma once

#include <memory>

#include "api/openai/transcriptions/transcription_request.h"
#include "http/exchange.h"
#include "serving/service.h"

namespace pleiad::api::openai {

/// Asks for the words of each clip of the sound, one clip after the other, and answers with all of
/// them. Ends when the client goes away.
void transcribe(serving::Service& service, TranscriptionRequest request,
                std::shared_ptr<http::Exchange> exchange);

}  // namespace pleiad::api::openai
