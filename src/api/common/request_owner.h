#pragma once

#include "api/common/context.h"
#include "http/request.h"
#include "serving/answer.h"

namespace pleiad::api {

/// Says in `answer` whose it is: the HTTP request's id, among whose prompts it looks in the
/// cache, and whether it may see what stands there. Every answer needs it.
void set_owner(serving::AnswerRequest& answer, const http::Request& request,
               const ApiContext& context);

}  // namespace pleiad::api
