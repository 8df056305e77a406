#include "model/gemma4/staged_encoding.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/check.h"
#include "base/round_up.h"

namespace pleiad::gemma4 {
namespace {

// Kernels take rows in blocks: fewer cost as much.
constexpr std::int64_t kRowBlock = 32;

}  // namespace

void StagedEncoding::plan(std::int64_t n_values, double operations,
                          double operations_of_counted_row) {
  soft_tokens_.reserve(static_cast<std::size_t>(n_values));  // written as they come
  operations_in_all_ = operations;
  operations_of_counted_row_ = operations_of_counted_row;
}

bool StagedEncoding::advance(std::int64_t rows) {
  if (load_next_part()) return false;
  if (is_done_) return true;
  // Where a row costs more than one that is counted, fewer are computed.
  const double share = operations_of_counted_row_ / operations_of_row();
  const auto most = static_cast<double>(max_rows_);
  const auto wanted =
      static_cast<std::int64_t>(std::min(std::max(static_cast<double>(rows) * share, 1.0), most));
  const std::int64_t chunk = std::min(rounded_up(wanted, kRowBlock), max_rows_);
  const std::int64_t n = std::min(chunk, rows_of_stage() - next_row_);
  run_stage(next_row_, n);
  operations_done_ += static_cast<double>(n) * operations_of_row();
  next_row_ += n;
  if (next_row_ == rows_of_stage()) {
    is_done_ = !next_stage();
    next_row_ = 0;
  }
  // Weights without a packed form are read from the file.
  source_.check_unchanged();
  return is_done_;
}

double StagedEncoding::progress() const {
  return is_done_ ? 1.0 : std::min(operations_done_ / operations_in_all_, 1.0);
}

std::vector<float> StagedEncoding::take() {
  CHECK(is_done_, "an encoding that is not done");
  return std::move(soft_tokens_);
}

void StagedEncoding::project(std::int64_t first, Tensor x, float eps, const Weight& projector,
                             Tensor soft) {
  backend_.rms_norm(x, x, nullptr, eps);
  const LinearTask task = {soft, &projector};
  backend_.linear({&task, 1}, x);
  const auto begin = static_cast<std::size_t>(first * soft.cols);
  CHECK(begin == soft_tokens_.size(), "row {} comes after {} values", first, soft_tokens_.size());
  soft_tokens_.resize(begin + static_cast<std::size_t>(x.rows * soft.cols));
  backend_.read(std::span(soft_tokens_).subspan(begin), soft);
}

}  // namespace pleiad::gemma4
