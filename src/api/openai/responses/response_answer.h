#pragma once

#include <functional>
#include <memory>

#include "api/common/answer_group.h"
#include "api/common/context.h"
#include "api/openai/responses/response_request.h"
#include "http/exchange.h"

namespace pleiad::api::openai {

using KeepResponse = std::function<void(std::shared_ptr<const StoredResponse>)>;

/// Words the answer to a response request for its client: as one body, or as a stream
/// of events; keeps it where that is wanted. `context` must outlive it.
std::unique_ptr<AnswerFollower> response_follower(ResponseRequest request, ApiContext& context,
                                                  KeepResponse keep,
                                                  std::shared_ptr<http::Exchange> exchange);

}  // namespace pleiad::api::openai
