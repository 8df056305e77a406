#pragma once

#include <memory>
#include <span>
#include <vector>

#include "eval/text_windows.h"
#include "model/model.h"
#include "text/token.h"

namespace pleiad::eval {

/// A model's logits for the tokens of a window that count, some rows at a time, so that
/// two models can be read side by side. Computed as prompts are.
class WindowLogits {
 public:
  WindowLogits(Model& model, KvType kv_type, text::TokenId bos);

  /// Computes what stands before the first token that counts. `text` must outlive the window.
  void begin(std::span<const text::TokenId> text, const TextWindow& window);

  /// The logits before the next tokens that count, in their order; no rows at the end.
  /// At most `most` rows. Valid until the next call.
  Logits next(std::int64_t most);

  /// How many rows one pass can give.
  std::int64_t most_rows() const;

 private:
  std::int64_t n_inputs() const { return std::ssize(inputs_); }
  Logits compute(std::int64_t n, WantLogits want);

  Model& model_;
  std::unique_ptr<KvCache> cache_;
  std::unique_ptr<KvSequence> sequence_;
  text::TokenId bos_;
  std::vector<text::TokenId> inputs_;  // of the window: all but the last token
  std::int64_t at_ = 0;                // of the inputs, those that are computed
};

}  // namespace pleiad::eval
