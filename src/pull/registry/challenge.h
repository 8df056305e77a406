#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace pleiad::pull {

/// One of the ways to be let in that a server names in WWW-Authenticate (RFC 9110, 11.6.1).
struct Challenge {
  std::string scheme;                                           // lower case: "bearer", "basic"
  std::vector<std::pair<std::string, std::string>> parameters;  // names in lower case

  /// Empty where there is no such parameter.
  std::string_view parameter(std::string_view name) const;
};

/// All of a header's value, in its order. Any bytes may be given: a Failure, a sentence without
/// its subject, says where it is not what the RFC has; so do too many of them.
Result<std::vector<Challenge>> parse_challenges(std::string_view header);

}  // namespace pleiad::pull
