#pragma once

#include <memory>

#include "api/common/answer_group.h"
#include "api/openai/answer_json.h"
#include "api/openai/completion_request.h"
#include "http/exchange.h"

namespace pleiad::api::openai {

/// Words the answers to a completion for its client: as one body, or as a stream.
std::unique_ptr<AnswerFollower> completion_follower(const CompletionRequest& request,
                                                    AnswerHead head,
                                                    std::shared_ptr<http::Exchange> exchange);

}  // namespace pleiad::api::openai
