#pragma once

#include <optional>
#include <span>
#include <string>

#include "text/reply_parser.h"

namespace pleiad::constrain {

struct CallProblem {
  std::string path;     // of the tool's schema, in the request
  std::string message;  // which it begins
};

/// What is to be told of a call whose arguments are not valid under its tool's schema, as the
/// standard reads that; nothing where they are, or where it cannot be found out with a little work.
/// For tools of which something is not enforced while the model writes. `tools`: as in OpenAI's
/// chat completions; `paths`: of their schemas in the request, none of those where they stand there
/// too.
std::optional<CallProblem> call_problem(const Json& tools, std::span<const std::string> paths,
                                        const text::ReplyEvent& call);

}  // namespace pleiad::constrain
