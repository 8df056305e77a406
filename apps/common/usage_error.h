#pragma once

#include "base/error.h"

namespace pleiad::apps {

/// The exit status of a command line that is wrong.
inline constexpr int kUsageStatus = 2;

/// The command line is wrong: nothing was done. The text says what was expected.
class UsageError : public Error {
 public:
  using Error::Error;
};

}  // namespace pleiad::apps
