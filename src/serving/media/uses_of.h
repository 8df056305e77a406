#pragma once

#include <memory>
#include <span>
#include <vector>

#include "serving/answers/answer_prompt.h"
#include "serving/media/media.h"
#include "text/tokenizer.h"

namespace pleiad::serving {

/// What is told of a request's media, in its order: how each is shown in `prompt`, with the tokens
/// of documents' texts, and which of them went with messages that were dropped.
std::vector<MediaUse> uses_of(const AnswerPrompt& prompt, const text::Tokenizer& tokenizer,
                              std::span<const std::shared_ptr<const PreparedMedia>> prepared);

}  // namespace pleiad::serving
