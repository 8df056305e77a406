#include "engine/step_planner.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"

namespace pleiad {
namespace {

constexpr double kNewest = 0.25;    // weight of the newest measurement
constexpr double kMostOfKnown = 2;  // times what is known that one step counts for
constexpr double kFixedScale = 64;  // rows whose cost is as uncertain as the fixed one

double blend(double before, double now) { return before + kNewest * (now - before); }

}  // namespace

void StepCosts::add(const StepWork& work, double seconds) {
  // Slices without streams are larger, and cost less by the row.
  if (work.n_generated == 0) return;
  if (work.n_prompt == 0) {
    const auto index = static_cast<std::size_t>(work.n_generated);
    if (generation_.size() <= index) generation_.resize(index + 1, 0);
    double& known = generation_[index];
    // Once, whatever kept the machine for long was hardly these rows; again and again it was.
    known = known > 0 ? blend(known, std::min(seconds, kMostOfKnown * known)) : seconds;
    return;
  }
  const std::optional<double> without = generation_seconds(work.n_generated);
  if (!without) return;
  // Whatever kept the machine for long was hardly the prompt.
  constexpr double kMostExtra = 4;
  const double extra = std::clamp(seconds - *without, *without / 1000, kMostExtra * *without);
  if (work.ends_prompt && prompt_row_ > 0) {
    learn_end(extra - (prompt_fixed_ + prompt_row_ * static_cast<double>(work.n_prompt)));
    return;
  }
  if (!work.ends_prompt && first_was_end_ && !has_line_) {
    // Rows were known from an end alone, with the cost of that: anew.
    first_rows_ = 0;
    end_.reset();
  }
  if (first_rows_ == 0) first_was_end_ = work.ends_prompt;
  learn_prompt(work.n_prompt, extra);
}

void StepCosts::learn_end(double seconds) {
  const double now = std::max(seconds, 0.0);
  end_ = !end_ || now > *end_ ? now : blend(*end_, now);
}

void StepCosts::learn_prompt(std::int64_t n_prompt, double seconds) {
  const auto n = static_cast<double>(n_prompt);
  if (!has_line_ && (first_rows_ == 0 || first_rows_ == n_prompt)) {
    first_rows_ = n_prompt;
    first_seconds_ = seconds;
    prompt_row_ = seconds / n;
    return;
  }
  if (!has_line_) {
    has_line_ = true;
    prompt_row_ = (seconds - first_seconds_) / (n - static_cast<double>(first_rows_));
    prompt_fixed_ = seconds - prompt_row_ * n;
  } else {
    // Towards the line through the newest point that is nearest to the one before, at
    // once where it was slower than thought.
    const double error = seconds - (prompt_fixed_ + prompt_row_ * n);
    const double step = (error > 0 ? 1 : kNewest) * error / (kFixedScale * kFixedScale + n * n);
    prompt_fixed_ += step * kFixedScale * kFixedScale;
    prompt_row_ += step * n;
  }
  prompt_fixed_ = std::clamp(prompt_fixed_, 0.0, seconds);
  prompt_row_ = std::max(prompt_row_, seconds / n / 100);
}

std::optional<double> StepCosts::prompt_rows_within(double seconds) const {
  if (prompt_row_ == 0) return std::nullopt;
  return (seconds - prompt_fixed_) / prompt_row_;
}

std::optional<double> StepCosts::generation_seconds(std::int64_t n_streams) const {
  // The nearest number of streams; of two as near the smaller, which takes less long.
  for (std::int64_t distance = 0; distance <= n_streams + std::ssize(generation_); ++distance) {
    for (const std::int64_t n : {n_streams - distance, n_streams + distance}) {
      if (n < 1 || n >= std::ssize(generation_)) continue;
      const double seconds = generation_[static_cast<std::size_t>(n)];
      if (seconds > 0) return seconds;
    }
  }
  return std::nullopt;
}

std::int64_t StepPlanner::slice_rows(std::int64_t n_streams) const {
  const std::int64_t room = limits_.max_rows - n_streams;
  if (n_streams == 0) return room;
  const std::optional<double> alone = costs_.generation_seconds(n_streams);
  if (!alone) return 0;  // this step measures it
  const std::int64_t multiple = limits_.row_multiple;
  std::int64_t rows = affordable_rows(*alone);
  // By and by, whatever is thought: half as much again cannot take twice as long. The
  // first time nothing is known of longer slices, and a slow one is not tried.
  const bool is_slow = last_extra_ > 1.25 * *alone * (limits_.usual_stretch - 1);
  const bool may_grow = last_slice_ > limits_.least_rows || !is_slow;
  const std::int64_t most = may_grow ? last_slice_ * 3 / 2 : last_slice_;
  rows = std::min({rows, most, room}) / multiple * multiple;
  return std::max(rows, std::min(limits_.least_rows, room));
}

// Where prompts cost much whatever their length, a little more time buys many rows.
std::int64_t StepPlanner::affordable_rows(double usual_gap) const {
  const auto within = [&](double stretch) {
    const double rows = costs_.prompt_rows_within((stretch - 1) * usual_gap).value_or(0);
    return static_cast<std::int64_t>(std::clamp(rows, 0.0, static_cast<double>(limits_.max_rows)));
  };
  const std::int64_t rows = within(limits_.usual_stretch);
  if (rows >= limits_.efficient_rows) return rows;
  return std::max(rows, std::min(limits_.efficient_rows, within(limits_.most_stretch)));
}

StepPlanner::Rows StepPlanner::plan(std::span<const std::int64_t> forced_rows,
                                    std::span<const std::int64_t> prompt_rows,
                                    std::int64_t most_rows) {
  const auto n_streams = static_cast<std::int64_t>(forced_rows.size());
  CHECK(n_streams <= limits_.max_rows, "{} streams, {} rows", n_streams, limits_.max_rows);
  Rows given = {std::vector<std::int64_t>(forced_rows.size(), 0),
                std::vector<std::int64_t>(prompt_rows.size(), 0)};
  const std::int64_t rows = std::min(slice_rows(n_streams), most_rows);
  std::int64_t forced = forced_share(rows, n_streams, forced_rows, prompt_rows);
  std::int64_t left = std::max<std::int64_t>(rows - forced, 0);
  for (std::size_t i = 0; i < forced_rows.size() && forced > 0; ++i) {
    given.forced[i] = std::min(forced_rows[i], forced);
    forced -= given.forced[i];
  }
  if (prompt_rows.empty()) return given;
  if (n_streams > 0 && rows > 0) last_slice_ = rows;
  share_out(left, prompt_rows, given.prompts);
  if (n_streams > 0) make_room_for_ends(rows_beside_end(n_streams), prompt_rows, given.prompts);
  return given;
}

// Forced text comes first, the oldest stream's, since each row of it spares a step. Beside prompts
// it has half of the slice at most. Without them a little of it goes in whatever is known of costs.
std::int64_t StepPlanner::forced_share(std::int64_t rows, std::int64_t n_streams,
                                       std::span<const std::int64_t> forced_rows,
                                       std::span<const std::int64_t> prompt_rows) const {
  const std::int64_t wanted =
      std::accumulate(forced_rows.begin(), forced_rows.end(), std::int64_t{0});
  if (!prompt_rows.empty()) return std::min(wanted, rows / 2);
  const std::int64_t least = std::min(limits_.least_rows, limits_.max_rows - n_streams);
  return std::min(wanted, std::max(rows, least));
}

// Of a step in which a prompt ends; 0 while nobody knows what that costs.
std::int64_t StepPlanner::rows_beside_end(std::int64_t n_streams) const {
  const std::optional<double> alone = costs_.generation_seconds(n_streams);
  const std::optional<double> end = costs_.end_seconds();
  if (!alone || !end) return 0;
  const double room = (limits_.most_stretch - 1) * *alone - *end;
  const double rows = costs_.prompt_rows_within(room).value_or(0);
  return static_cast<std::int64_t>(std::clamp(rows, 0.0, static_cast<double>(limits_.max_rows)));
}

// The last rows of a prompt wait for the next step, where few rows are beside them.
void StepPlanner::make_room_for_ends(std::int64_t room, std::span<const std::int64_t> wanted,
                                     std::vector<std::int64_t>& given) const {
  if (std::accumulate(given.begin(), given.end(), std::int64_t{0}) <= room) return;
  bool any_ends = false;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] < wanted[i] || wanted[i] == 0) continue;
    if (wanted[i] <= limits_.least_rows) any_ends = true;
    if (wanted[i] > limits_.least_rows) given[i] = wanted[i] - limits_.least_rows;
  }
  if (!any_ends) return;
  std::int64_t left = std::max(room, limits_.least_rows);
  for (const bool ends : {true, false}) {  // those that end come first
    for (std::size_t i = 0; i < given.size(); ++i) {
      if ((given[i] == wanted[i]) != ends) continue;
      given[i] = std::min(given[i], left);
      left -= given[i];
    }
  }
}

// Rounds of equal shares: whoever needs less leaves the rest to the others. Where
// there are more prompts than shares, they take turns.
void StepPlanner::share_out(std::int64_t rows, std::span<const std::int64_t> wanted,
                            std::vector<std::int64_t>& given) {
  const std::size_t n = wanted.size();
  const std::size_t first = static_cast<std::size_t>(turn_++ % n);
  std::int64_t hungry = std::count_if(wanted.begin(), wanted.end(), [](auto w) { return w > 0; });
  while (rows > 0 && hungry > 0) {
    const std::int64_t multiple = limits_.row_multiple;
    const std::int64_t share = std::max(rows / hungry / multiple * multiple, limits_.least_rows);
    for (std::size_t i = 0; i < n && rows > 0; ++i) {
      const std::size_t prompt = (first + i) % n;
      const std::int64_t left = wanted[prompt] - given[prompt];
      if (left == 0) continue;
      const std::int64_t part = std::min({left, share, rows});
      given[prompt] += part;
      rows -= part;
      if (part == left) --hungry;
    }
  }
}

double StepPlanner::seconds_beside(std::int64_t n_streams) const {
  return (limits_.usual_stretch - 1) * costs_.generation_seconds(n_streams).value_or(0);
}

void StepPlanner::took(const StepWork& work, double seconds) {
  // Rows of forced text have the arithmetic of streams, and say nothing of what a prompt's cost.
  if (work.n_forced > 0) return;
  costs_.add(work, seconds);
  const std::optional<double> alone = costs_.generation_seconds(work.n_generated);
  if (work.ends_prompt) return;
  if (work.n_generated > 0 && work.n_prompt > 0 && alone) last_extra_ = seconds - *alone;
}

}  // namespace pleiad
