#pragma once

#include "base/error.h"
#include "serving/media/media.h"
#include "serving/service_error.h"

namespace pleiad::serving {

/// What a client is told where this machine cannot read the part: what is missing, which whoever
/// runs the server can install, or no more than that it cannot be done now. No fault of the part.
ServiceError reading_problem(const MediaPart& part, const Error& error);

}  // namespace pleiad::serving
