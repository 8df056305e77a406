#include "eval/window_logits.h"

#include <algorithm>

namespace pleiad::eval {

WindowLogits::WindowLogits(Model& model, KvType kv_type, text::TokenId bos)
    : model_(model),
      cache_(model.make_kv_cache({kv_type, KvCacheOptions().page_tokens})),
      sequence_(std::make_unique<KvSequence>(*cache_)),
      bos_(bos) {}

std::int64_t WindowLogits::most_rows() const {
  return std::min(model_.info().max_rows, model_.info().max_logit_rows);
}

void WindowLogits::begin(std::span<const text::TokenId> text, const TextWindow& window) {
  sequence_->truncate(0);
  inputs_.assign(1, bos_);
  // The last token is only predicted.
  const auto seen = text.subspan(static_cast<std::size_t>(window.first),
                                 static_cast<std::size_t>(window.last - window.first - 1));
  inputs_.insert(inputs_.end(), seen.begin(), seen.end());
  at_ = 0;
  for (std::int64_t left = window.first_scored - window.first; left > 0;) {
    const std::int64_t n = std::min(left, model_.info().max_rows);
    compute(n, WantLogits::none);
    left -= n;
  }
}

Logits WindowLogits::next(std::int64_t most) {
  const std::int64_t n = std::min({n_inputs() - at_, most, most_rows()});
  return n == 0 ? Logits() : compute(n, WantLogits::all);
}

Logits WindowLogits::compute(std::int64_t n, WantLogits want) {
  sequence_->reserve(n);
  const auto part =
      std::span(inputs_).subspan(static_cast<std::size_t>(at_), static_cast<std::size_t>(n));
  const Slice slice = {sequence_.get(), part, want, Phase::prompt};
  at_ += n;
  return model_.forward({&slice, 1}, *cache_);
}

}  // namespace pleiad::eval
