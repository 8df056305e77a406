#pragma once

#include <memory>

#include "api/common/answer_group.h"
#include "api/common/context.h"
#include "api/openai/response_request.h"
#include "http/exchange.h"

namespace pleiad::api::openai {

/// Words the answer to a response request for its client: as one body, or as a stream
/// of events; keeps it in the store where that is wanted. `context` must outlive it;
/// the store is shared with the routes, which may go first.
std::unique_ptr<AnswerFollower> response_follower(ResponseRequest request, ApiContext& context,
                                                  std::shared_ptr<ResponseStore> store,
                                                  std::shared_ptr<http::Exchange> exchange);

}  // namespace pleiad::api::openai
