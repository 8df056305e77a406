#pragma once

#include <cstdint>
#include <span>

#include "model/model.h"

namespace pleiad::bench {

/// A part of a prompt; with `is_last`, logits of its last row are wanted.
inline Slice prompt_slice(KvSequence& sequence, std::span<const std::int32_t> tokens,
                          bool is_last) {
  return {&sequence, tokens, is_last ? WantLogits::last : WantLogits::none, Phase::prompt};
}

/// The token that a sequence goes on with; `token` must outlive the pass.
inline Slice generation_slice(KvSequence& sequence, const std::int32_t& token) {
  return {&sequence, {&token, 1}, WantLogits::last, Phase::generation};
}

}  // namespace pleiad::bench
