#pragma once

#include <optional>
#include <string>

#include "verify/logit_comparison.h"
#include "verify/verify.h"

namespace pleiad::apps {

/// The comparison with a reference, and how much it may be off.
struct ReferenceResult {
  std::string file;
  std::string backend;  // what computed
  verify::LogitComparison comparison;
  double max_kl = 0;
  double max_difference = 0;

  /// Every row is finite and within both limits.
  bool good() const;
};

/// For people: what was read, a table of findings, the comparison.
std::string verify_text(const verify::Report& report,
                        const std::optional<ReferenceResult>& reference);
std::string verify_json(const verify::Report& report,
                        const std::optional<ReferenceResult>& reference);

}  // namespace pleiad::apps
