#pragma once

#include <memory>

#include "api/common/answer_group.h"
#include "api/common/context.h"
#include "api/openai/responses/response_request.h"
#include "http/exchange.h"

namespace pleiad::api::openai {

/// Makes the question of a request that was read for a compaction: a summary of its conversation,
/// of which the oldest messages are left out where it is too long for the model. Throws
/// RequestError where an answer of another form is asked for.
void ask_for_summary(ResponseRequest& request);

/// Words the compaction for its client: the messages of the user as they were, and a summary that
/// stands for all the rest. `context` must outlive it.
std::unique_ptr<AnswerFollower> compaction_follower(ResponseRequest request, ApiContext& context,
                                                    std::shared_ptr<http::Exchange> exchange);

}  // namespace pleiad::api::openai
