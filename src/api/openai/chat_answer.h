#pragma once

#include <memory>

#include "api/common/answer_group.h"
#include "api/openai/answer_json.h"
#include "api/openai/chat_request.h"
#include "http/exchange.h"

namespace pleiad::api::openai {

/// Words the answers to a chat completion for its client: as one body, or as a stream.
std::unique_ptr<AnswerFollower> chat_follower(const ChatRequest& request, AnswerHead head,
                                              std::shared_ptr<http::Exchange> exchange);

}  // namespace pleiad::api::openai
