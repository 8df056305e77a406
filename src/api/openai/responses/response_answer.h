#pragma once

#include <functional>
#include <memory>

#include "api/common/answer_group.h"
#include "api/common/context.h"
#include "api/openai/responses/response_json.h"
#include "api/openai/responses/response_request.h"
#include "http/exchange.h"

namespace pleiad::api::openai {

/// Where a response goes beside its client.
struct ResponseKeeper {
  std::function<bool(const StoredResponse&)> fits;    // whether it can be kept at all
  std::function<void(StoredResponse)> keep;           // once, as it ended; where it is to be kept
  std::function<void(std::string body)> in_progress;  // of one in the background, else empty
};

/// Words the answer to a response request for its client: as one body, or as a stream of events;
/// keeps it where that is wanted. The stream of one in the background begins at once. `exchange`
/// may be null: nobody waits for a body. `context` must outlive it.
std::unique_ptr<AnswerFollower> response_follower(ResponseRequest request, ResponseHead head,
                                                  ApiContext& context, ResponseKeeper keeper,
                                                  std::shared_ptr<http::Exchange> exchange);

}  // namespace pleiad::api::openai
