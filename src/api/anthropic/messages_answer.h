#pragma once

#include <memory>
#include <string>

#include "api/anthropic/messages_request.h"
#include "api/common/answer_group.h"
#include "http/exchange.h"

namespace pleiad::api::anthropic {

/// Words the answer to a message for its client: as one body, or as a stream of events.
/// `id` names the message ("msg_...").
std::unique_ptr<AnswerFollower> messages_follower(const MessagesRequest& request, std::string id,
                                                  std::shared_ptr<http::Exchange> exchange);

}  // namespace pleiad::api::anthropic
