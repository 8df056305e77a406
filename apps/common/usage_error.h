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

/// What `work` throws as Error is an error of usage: for what reads text that was typed.
template <typename Work>
auto as_usage(const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    throw UsageError("{}", error.what());
  }
}

}  // namespace pleiad::apps
