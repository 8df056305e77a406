// Soft rows: what a tower made of a picture or of sound goes through the layers in the place of
// embeddings. Their tokens count as token 0 wherever a table is looked into.

#include "model/gemma4/gemma4.h"

namespace pleiad::gemma4 {

void Gemma4::place_soft_rows(const Slice& slice, std::int64_t first_row) {
  const auto n_tokens = static_cast<std::int64_t>(slice.tokens.size());
  std::int64_t end = 0;  // of the soft rows before
  for (const SoftRows& block : slice.soft) {
    const std::int64_t n = static_cast<std::int64_t>(block.rows.size()) / config_.model_dim;
    CHECK(n > 0 && n * config_.model_dim == static_cast<std::int64_t>(block.rows.size()),
          "{} floats in rows of {}", block.rows.size(), config_.model_dim);
    CHECK(block.first >= end && block.first + n <= n_tokens, "{} + {} after {}, of {}", block.first,
          n, end, n_tokens);
    CHECK(slice.phase == Phase::prompt, "soft rows are no generated tokens");
    end = block.first + n;
    for (std::int64_t i = 0; i < n; ++i) {
      const auto row = static_cast<std::size_t>(first_row + block.first + i);
      step_.tokens[row] = 0;
      step_.soft[row] = block.rows.data() + i * config_.model_dim;
    }
    step_.has_soft = true;
    if (!info_.bidirectional_blocks || !block.is_block) continue;
    step_.has_blocks = true;
    const std::int32_t last = step_.positions[static_cast<std::size_t>(first_row + end - 1)];
    const auto begin =
        step_.positions[static_cast<std::size_t>(first_row + block.first)] - block.n_before;
    CHECK(block.n_before >= 0 && begin >= 0, "{} rows before position {}", block.n_before, begin);
    for (std::int64_t row = first_row + block.first; row < first_row + end; ++row) {
      step_.last_visible[static_cast<std::size_t>(row)] = last;
      step_.block_begin[static_cast<std::size_t>(row)] = static_cast<std::int32_t>(begin);
    }
  }
}

void Gemma4::write_soft_rows(Tensor out) const {
  write_soft_runs(out, [](std::int64_t row) { return row; });
}

void Gemma4::write_kept_soft_rows(Tensor out) const {
  write_soft_runs(out,
                  [&](std::int64_t row) { return step_.wanted[static_cast<std::size_t>(row)]; });
}

// Row i of `out` is row row_at(i) of the step. Rows that lie one behind the other go together.
template <typename RowAt>
void Gemma4::write_soft_runs(Tensor out, RowAt row_at) const {
  if (!step_.has_soft) return;
  const auto soft_at = [&](std::int64_t row) {
    return step_.soft[static_cast<std::size_t>(row_at(row))];
  };
  for (std::int64_t row = 0; row < out.rows;) {
    const float* begin = soft_at(row);
    std::int64_t n = 1;
    if (begin) {
      while (row + n < out.rows && soft_at(row + n) == begin + n * config_.model_dim) ++n;
      backend_.write(out.from(row).top(n),
                     {begin, static_cast<std::size_t>(n * config_.model_dim)});
    }
    row += n;
  }
}

}  // namespace pleiad::gemma4
