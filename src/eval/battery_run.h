#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/media/prompt_towers.h"
#include "eval/battery.h"
#include "eval/progress.h"
#include "eval/statistics.h"

namespace pleiad::eval {

/// What a case came to.
struct CaseResult {
  std::string id;
  int sample = 0;
  bool right = false;
  std::string why;                // where it is not right
  std::vector<std::string> said;  // the replies, one a turn; calls of tools as JSON
  std::int64_t generated_tokens = 0;
};

struct CheckResult {
  std::string name;
  std::string what;
  std::string skipped;  // why it was not run; empty when it was
  /// Of questions about pictures and sounds: how many of `n_questions` are right by guessing
  /// (Check::right_by_guessing).
  std::optional<std::int64_t> guessed = {};
  std::int64_t n_questions = 0;
  std::vector<CaseResult> cases = {};

  std::int64_t n() const { return std::ssize(cases); }
  std::int64_t right() const;
  Interval interval() const { return wilson_interval(right(), n()); }
};

struct BatteryReport {
  std::string model;
  std::vector<CheckResult> checks;
  bool complete = true;

  std::int64_t n() const;
  std::int64_t right() const;
};

/// Answers a request. A Failure is a mistake of the battery's.
using Answerer = std::function<Result<ChatReply>(const ChatRequest&, const ReplyObserver&)>;

struct BatteryRunOptions {
  int n_samples = 1;  // answers to every question
  bool think = false;
  std::string blind =
      "is shown no pictures";                // why checks with pictures are skipped; empty: it sees
  std::string deaf = "is played no sounds";  // of checks with sounds, likewise
  VisionPrompt vision = {};                  // what pictures become
  AudioPrompt audio = {};                    // and sounds
  GenerationOptions generation;              // the n-th answer's seed is its seed + n
  EvalProgress progress = {};                // cases done, cases in all
};

/// Asks everything. A case that is under way when `progress` says false does not count.
BatteryReport run_battery(const std::vector<Check>& checks, const std::string& model,
                          const Answerer& answer, const BatteryRunOptions& options);

/// Two runs of the same checks, as far as both have come.
PairedCounts pair_checks(const CheckResult& a, const CheckResult& b);
/// All checks together.
PairedCounts pair_reports(const BatteryReport& a, const BatteryReport& b);

}  // namespace pleiad::eval
