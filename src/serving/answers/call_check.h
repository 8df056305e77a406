#pragma once

#include <optional>
#include <string>

#include "serving/answer.h"

namespace pleiad::serving {

struct CallProblem {
  std::string path;     // of the tool's schema, in the request
  std::string message;  // which it begins
};

/// What is to be told of a call whose arguments are not valid under its tool's schema, as the
/// standard reads that; nothing where they are, or where it cannot be found out with a little work.
/// For tools of which something is not enforced while the model writes.
std::optional<CallProblem> call_problem(const AnswerRequest& request, const text::ReplyEvent& call);

}  // namespace pleiad::serving
