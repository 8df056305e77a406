#include "engine/step_planner.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"

namespace pleiad {
namespace {

constexpr double kNewest = 0.25;  // weight of the newest measurement

double blend(double before, double now) { return before + kNewest * (now - before); }

}  // namespace

void StepCosts::add(std::int64_t n_generated, std::int64_t n_prompt, double seconds) {
  if (n_generated == 0) return;  // slices beside streams are smaller, and cost more by the row
  if (n_prompt == 0) {
    const auto index = static_cast<std::size_t>(n_generated);
    if (generation_.size() <= index) generation_.resize(index + 1, 0);
    double& known = generation_[index];
    known = known > 0 ? blend(known, seconds) : seconds;
    return;
  }
  const std::optional<double> without = generation_seconds(n_generated);
  if (!without) return;
  const double row = std::max(seconds - *without, *without / 1000) / static_cast<double>(n_prompt);
  // What is too slow counts at once, what is quick after a while.
  prompt_row_seconds_ =
      prompt_row_seconds_ && row < *prompt_row_seconds_ ? blend(*prompt_row_seconds_, row) : row;
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
  const std::int64_t least = std::min(limits_.row_multiple, room);
  if (!costs_.prompt_row_seconds()) return least;
  const double seconds = (limits_.longest_gap - 1) * *alone;
  const double affordable =
      std::min(seconds / *costs_.prompt_row_seconds(), static_cast<double>(limits_.max_rows));
  // Costs are not quite in proportion: by and by.
  const std::int64_t grown = std::max(least, 2 * last_slice_);
  const std::int64_t rows = std::min({static_cast<std::int64_t>(affordable), grown, room});
  return std::max(rows / limits_.row_multiple * limits_.row_multiple, least);
}

std::vector<std::int64_t> StepPlanner::plan(std::int64_t n_streams,
                                            std::span<const std::int64_t> prompt_rows) {
  CHECK(n_streams <= limits_.max_rows, "{} streams, {} rows", n_streams, limits_.max_rows);
  std::vector<std::int64_t> given(prompt_rows.size(), 0);
  if (prompt_rows.empty()) return given;
  const std::int64_t rows = slice_rows(n_streams);
  if (n_streams > 0 && rows > 0) last_slice_ = rows;
  share_out(rows, prompt_rows, given);
  return given;
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
    const std::int64_t share = std::max(rows / hungry / multiple * multiple, multiple);
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

void StepPlanner::took(std::int64_t n_generated, std::int64_t n_prompt, double seconds) {
  costs_.add(n_generated, n_prompt, seconds);
}

}  // namespace pleiad
