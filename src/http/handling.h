#pragma once

#include <memory>

#include "base/work_pool.h"
#include "http/answer.h"
#include "http/body_budget.h"
#include "http/request.h"
#include "http/router.h"

namespace pleiad::http {

/// Runs the handler; what it throws is the answer. The share of the body lasts until that is over.
void run_handler(const Route& route, Request request, BodyBudget::Share share,
                 const std::shared_ptr<Answer>& answer);

/// The same on a worker, when one is free. A request whose client goes away before is dropped, and
/// its memory given back at once.
void run_handler_later(WorkPool& workers, const Route& route, Request request,
                       BodyBudget::Share share, const std::shared_ptr<Answer>& answer);

}  // namespace pleiad::http
