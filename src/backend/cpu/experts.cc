#include <algorithm>
#include <cmath>
#include <numeric>

#include "backend/cpu/cpu_backend.h"

namespace pleiad::cpu {
namespace {

// The n_used largest probabilities of a row, ties to the lower index, in
// ascending order of expert; then their shares: p / sum(chosen p).
void choose(std::span<const float> logits, std::span<std::int32_t> chosen, std::span<float> share) {
  float maximum = logits[0];
  for (const float logit : logits) maximum = std::max(maximum, logit);
  // exp(x - max) keeps the order of the logits, and the normalizer of the full
  // softmax cancels in the division below.
  for (std::size_t slot = 0; slot < chosen.size(); ++slot) {
    std::int32_t best = -1;
    for (std::size_t expert = 0; expert < logits.size(); ++expert) {
      const auto candidate = static_cast<std::int32_t>(expert);
      const bool taken = std::find(chosen.begin(), chosen.begin() + static_cast<long>(slot),
                                   candidate) != chosen.begin() + static_cast<long>(slot);
      if (!taken && (best < 0 || logits[expert] > logits[static_cast<std::size_t>(best)])) {
        best = candidate;
      }
    }
    chosen[slot] = best;
  }
  std::sort(chosen.begin(), chosen.end());
  float sum = 0.0F;
  for (std::size_t slot = 0; slot < chosen.size(); ++slot) {
    share[slot] = std::exp(logits[static_cast<std::size_t>(chosen[slot])] - maximum);
    sum += share[slot];
  }
  for (float& value : share) value /= sum;
}

}  // namespace

void CpuBackend::reserve_experts(std::int64_t model_dim, const ExpertWeights& weights) {
  const std::int64_t shares = max_rows_ * weights.n_used;
  const auto hidden = static_cast<std::size_t>(shares * 2 * weights.ffn_dim);
  const auto width = static_cast<std::size_t>(shares * model_dim);
  if (chosen_.size() >= static_cast<std::size_t>(shares) && expert_hidden_.size() >= hidden &&
      expert_in_.size() >= width &&
      by_expert_.size() >= static_cast<std::size_t>(weights.n_experts)) {
    return;
  }
  chosen_.resize(static_cast<std::size_t>(shares));
  share_.resize(static_cast<std::size_t>(shares));
  by_expert_.resize(static_cast<std::size_t>(weights.n_experts));
  for (auto& rows_of_expert : by_expert_) {
    rows_of_expert.reserve(static_cast<std::size_t>(max_rows_));
  }
  expert_in_ = AlignedBuffer<float>(width);
  expert_hidden_ = AlignedBuffer<float>(hidden);
  expert_out_ = AlignedBuffer<float>(width);
}

void CpuBackend::experts(Tensor out, Tensor x, Tensor router_logits, const ExpertWeights& weights) {
  const auto n_used = static_cast<std::size_t>(weights.n_used);
  CHECK(router_logits.rows == x.rows && router_logits.cols == weights.n_experts);
  CHECK(weights.n_used > 0 && weights.n_used <= weights.n_experts && x.rows <= max_rows_);
  const std::int64_t all_shares = x.rows * weights.n_used;
  CHECK(static_cast<std::int64_t>(expert_in_.size()) >= all_shares * x.cols &&
            static_cast<std::int64_t>(expert_hidden_.size()) >= all_shares * 2 * weights.ffn_dim &&
            static_cast<int>(by_expert_.size()) >= weights.n_experts,
        "experts that were not reserved");

  for (auto& rows_of_expert : by_expert_) rows_of_expert.clear();
  pool_.run(x.rows, [&](std::int64_t row, int) {
    const auto first = static_cast<std::size_t>(row) * n_used;
    choose({router_logits.row(row), static_cast<std::size_t>(router_logits.cols)},
           std::span(chosen_).subspan(first, n_used), std::span(share_).subspan(first, n_used));
  });
  for (std::int64_t row = 0; row < x.rows; ++row) {
    for (std::size_t slot = 0; slot < n_used; ++slot) {
      const auto expert =
          static_cast<std::size_t>(chosen_[static_cast<std::size_t>(row) * n_used + slot]);
      by_expert_[expert].push_back(
          {static_cast<std::int32_t>(row), static_cast<std::int32_t>(slot)});
    }
  }

  // Expert by expert: its rows gathered, its two products, its activation.
  const std::int64_t ffn = weights.ffn_dim;
  std::int64_t first_share = 0;
  for (int expert = 0; expert < weights.n_experts; ++expert) {
    const auto& shares = by_expert_[static_cast<std::size_t>(expert)];
    const auto n_shares = static_cast<std::int64_t>(shares.size());
    if (n_shares == 0) continue;
    const std::int64_t n_words = rows_as_words(
        n_shares, std::count_if(shares.begin(), shares.end(), [&](const ExpertShare& share) {
          return share.row < n_generated_;
        }));
    const Tensor input(expert_in_.data() + first_share * x.cols, n_shares, x.cols);
    for (std::int64_t i = 0; i < n_shares; ++i) {
      std::copy_n(x.row(shares[static_cast<std::size_t>(i)].row), x.cols, input.row(i));
    }
    const Tensor hidden(expert_hidden_.data() + first_share * 2 * ffn, n_shares, 2 * ffn);
    const Tensor gate = hidden.columns(0, ffn);
    const Tensor up = hidden.columns(ffn, ffn);
    if (weights.gate_up) {
      const LinearPart part = {&CpuWeight::of(*weights.gate_up), expert, hidden};
      run_linear({&part, 1}, input, n_words);
    } else {
      const std::array parts = {LinearPart{&CpuWeight::of(*weights.gate), expert, gate},
                                LinearPart{&CpuWeight::of(*weights.up), expert, up}};
      run_linear(parts, input, n_words);
    }
    gated_gelu(gate, up);
    const Tensor result(expert_out_.data() + first_share * x.cols, n_shares, x.cols);
    const LinearPart part = {&CpuWeight::of(*weights.down), expert, result};
    run_linear({&part, 1}, gate, n_words);
    first_share += n_shares;
  }

  // Each row sums its experts in ascending order, whoever else is in the step.
  const float* scale = CpuWeight::of(*weights.scale).vector();
  for (std::int64_t row = 0; row < out.rows; ++row) std::fill_n(out.row(row), out.cols, 0.0F);
  first_share = 0;
  for (int expert = 0; expert < weights.n_experts; ++expert) {
    for (const ExpertShare& entry : by_expert_[static_cast<std::size_t>(expert)]) {
      const float share = share_[static_cast<std::size_t>(entry.row) * n_used +
                                 static_cast<std::size_t>(entry.slot)] *
                          scale[expert];
      kernels_.axpby(out.row(entry.row), 1.0F, out.row(entry.row), share,
                     expert_out_.data() + first_share * x.cols, x.cols);
      ++first_share;
    }
  }
}

Tensor CpuBackend::expert_hidden(std::int64_t n_rows, const ExpertWeights& weights) {
  const std::int64_t shares = n_rows * weights.n_used;
  CHECK(static_cast<std::int64_t>(expert_hidden_.size()) >= shares * 2 * weights.ffn_dim);
  return Tensor(expert_hidden_.data(), shares, 2 * weights.ffn_dim).columns(0, weights.ffn_dim);
}

}  // namespace pleiad::cpu
