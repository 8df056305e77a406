#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace pleiad {

/// What a step computed.
struct StepWork {
  std::int64_t n_generated = 0;  // rows of generated tokens
  std::int64_t n_prompt = 0;     // rows of prompts
  bool ends_prompt = false;      // the last row of a prompt goes on to its logits
  std::int64_t n_forced = 0;     // rows of forced text, beside the first of each stream
};

/// What steps cost, learnt while they run.
class StepCosts {
 public:
  /// A step took so long.
  void add(const StepWork& work, double seconds);

  /// Of a step that computes the next token of so many streams and nothing else;
  /// empty while nothing like it has run.
  std::optional<double> generation_seconds(std::int64_t n_streams) const;

  /// How many rows of prompts a step with streams can take beside them in `seconds`, as
  /// far as steps so far say; empty while none has run.
  std::optional<double> prompt_rows_within(double seconds) const;

  /// What a step with streams takes longer because a prompt ends in it (its last row goes
  /// through layers and the head that its other rows are spared); empty while none has.
  std::optional<double> end_seconds() const { return end_; }

 private:
  void learn_prompt(std::int64_t n_prompt, double seconds);
  void learn_end(double seconds);

  std::vector<double> generation_;  // by number of streams; 0: unknown
  // Of prompts beside streams: whatever their rows are, and of a row.
  double prompt_fixed_ = 0;
  double prompt_row_ = 0;
  // The first measurement: the line goes through it and the first one of another size.
  std::int64_t first_rows_ = 0;
  double first_seconds_ = 0;
  bool first_was_end_ = false;  // that of first_rows_ was the end of a prompt
  bool has_line_ = false;
  std::optional<double> end_;
};

struct StepLimits {
  std::int64_t max_rows = 512;
  std::int64_t least_rows = 16;   // of a slice
  std::int64_t row_multiple = 8;  // and its steps beyond
  /// A step with parts of prompts may take so many times as long as one without; slices
  /// below `efficient_rows`, where fixed costs are most of it, the larger number.
  double usual_stretch = 2.0;
  double most_stretch = 2.5;
  std::int64_t efficient_rows = 64;
};

/// Decides how much of which prompt a step computes beside the next token of every
/// stream: as much as goes in where nobody streams; else so much that the streams do
/// not falter. Prompts share that, the longer ones getting what the shorter ones leave.
/// Where the end of a prompt costs much it has a step with few other rows. Text that is forced on a
/// stream has its share of what they get.
class StepPlanner {
 public:
  explicit StepPlanner(const StepLimits& limits) : limits_(limits) {}

  struct Rows {
    std::vector<std::int64_t> forced;   // of each stream, beside the token that it has anyway
    std::vector<std::int64_t> prompts;  // of each prompt
  };
  /// Of the rows that each stream's forced text and each prompt has left, the oldest first; at most
  /// `most_rows` together.
  Rows plan(std::span<const std::int64_t> forced_rows, std::span<const std::int64_t> prompt_rows,
            std::int64_t most_rows = std::numeric_limits<std::int64_t>::max());

  /// What a step with streams may take longer for what is no row of theirs nor of a prompt; 0 while
  /// nobody knows what they take alone.
  double seconds_beside(std::int64_t n_streams) const;

  /// What the step that was planned last took.
  void took(const StepWork& work, double seconds);

  const StepCosts& costs() const { return costs_; }

 private:
  std::int64_t slice_rows(std::int64_t n_streams) const;
  std::int64_t affordable_rows(double usual_gap) const;
  void share_out(std::int64_t rows, std::span<const std::int64_t> wanted,
                 std::vector<std::int64_t>& given);
  std::int64_t forced_share(std::int64_t rows, std::int64_t n_streams,
                            std::span<const std::int64_t> forced_rows,
                            std::span<const std::int64_t> prompt_rows) const;
  std::int64_t rows_beside_end(std::int64_t n_streams) const;
  void make_room_for_ends(std::int64_t room, std::span<const std::int64_t> wanted,
                          std::vector<std::int64_t>& given) const;

  StepLimits limits_;
  StepCosts costs_;
  std::int64_t last_slice_ = 0;  // beside streams
  double last_extra_ = 0;        // what it added
  std::uint64_t turn_ = 0;
};

}  // namespace pleiad
