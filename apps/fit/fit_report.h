#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/common/environment.h"
#include "apps/fit/report.h"
#include "backend/kv_view.h"
#include "fit/advice.h"

namespace pleiad::apps {

/// What `pleiad fit` is asked, in words.
struct FitAsk {
  std::vector<std::string> models;  // "e2b", ...; empty: all
  std::vector<std::string> types;   // "q4_0", ...; empty: all
  std::int64_t context = fit::Question{}.context;
  KvType kv_type = KvType::bf16;
  int threads = 0;       // to measure with; 0: all physical cores
  double bandwidth = 0;  // GB/s of another machine; 0: this one, which is measured
  double memory = 0;     // GiB of it
  double compute = 0;    // TFLOP/s of it; 0: unknown
};

/// Throws UsageError where there is no such model or type.
fit::Question question_of(const FitAsk& ask);

/// The question and the machine, without answers. To measure this machine takes
/// a few seconds.
FitReport report_of_machine(const FitAsk& ask, const Environment& environment);

/// All of it.
FitReport fit_report(const FitAsk& ask, const Environment& environment);

}  // namespace pleiad::apps
