#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace pleiad {

/// What steps cost, learnt while they run.
class StepCosts {
 public:
  /// A step took so long: rows of generated tokens, rows of prompts.
  void add(std::int64_t n_generated, std::int64_t n_prompt, double seconds);

  /// Of a step that computes the next token of so many streams and nothing else;
  /// empty while nothing like it has run.
  std::optional<double> generation_seconds(std::int64_t n_streams) const;

  /// What a prompt's row adds to a step with streams; empty while unknown.
  std::optional<double> prompt_row_seconds() const { return prompt_row_seconds_; }

 private:
  std::vector<double> generation_;  // by number of streams; 0: unknown
  std::optional<double> prompt_row_seconds_;
};

struct StepLimits {
  std::int64_t max_rows = 512;
  std::int64_t row_multiple = 16;  // slices of prompts are cut at multiples
  /// A step with parts of prompts takes at most so many times as long as one without.
  double longest_gap = 2.0;
};

/// Decides how much of which prompt a step computes beside the next token of every
/// stream: as much as goes in where nobody streams; else so much that the streams do
/// not falter. Prompts share that, the longer ones getting what the shorter ones leave.
class StepPlanner {
 public:
  explicit StepPlanner(const StepLimits& limits) : limits_(limits) {}

  /// Rows for each prompt, of the so many that it has left, the oldest first.
  std::vector<std::int64_t> plan(std::int64_t n_streams, std::span<const std::int64_t> prompt_rows);

  /// What the step that was planned last took.
  void took(std::int64_t n_generated, std::int64_t n_prompt, double seconds);

  const StepCosts& costs() const { return costs_; }

 private:
  std::int64_t slice_rows(std::int64_t n_streams) const;
  void share_out(std::int64_t rows, std::span<const std::int64_t> wanted,
                 std::vector<std::int64_t>& given);

  StepLimits limits_;
  StepCosts costs_;
  std::int64_t last_slice_ = 0;  // beside streams
  std::uint64_t turn_ = 0;
};

}  // namespace pleiad
