#pragma once

#include <optional>
#include <random>
#include <string_view>

#include "download/surroundings.h"

namespace pleiad::download {

/// 408, 429, 500, 502, 503, 504: an answer that may be another one later.
bool is_temporary(int status);

/// The waits between attempts: twice as long each time, by chance between a half and the whole of
/// that, so that many clients do not come back at once.
class Backoff {
 public:
  explicit Backoff(const RetryPolicy& policy);

  /// Seconds after the `n_failures`-th failed attempt in a row, 1 or more.
  double wait_after(int n_failures);

  /// Likewise after an answer with this Retry-After (may be empty), which is at least obeyed;
  /// empty: it asks for longer than RetryPolicy::longest_asked.
  std::optional<double> wait_after(int n_failures, std::string_view retry_after);

 private:
  const RetryPolicy policy_;
  std::mt19937 chance_;
};

/// Waits, asking `stop` several times a second; false where it was true.
bool wait_for(double seconds, const Stop& stop);

}  // namespace pleiad::download
