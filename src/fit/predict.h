#pragma once

#include <cstdint>
#include <optional>

#include "backend/kv_view.h"
#include "fit/machine.h"
#include "fit/model_work.h"
#include "fit/published.h"

namespace pleiad::fit {

/// Tokens a second, and between which it is expected.
struct Rate {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// Of a token after `depth` others. Seconds of the token:
///   sum over stored types (bytes / (bandwidth * decode_share(type)))
///   + bytes of keys and values / (bandwidth * kKvShare)
///   + layers * layer_seconds
Rate predict_decode(const ModelWork& work, const Machine& machine, std::int64_t depth,
                    KvType kv_type);

/// Of a prompt of n tokens into an empty context. Seconds of the prompt:
///   sum over stored types (operations / (matrix rate * prompt_share(type)))
///   + those of attention / (matrix rate * attention_share)
///   + n * values_per_prompt_row * value_seconds
///   + what only its last row meets, decoded: bytes and layers as in predict_decode
/// Nothing where the matrix rate is not known.
std::optional<Rate> predict_prefill(const ModelWork& work, const Machine& machine, std::int64_t n);

/// Of Pleiad's loops on a machine with the published one's bandwidth, beside its
/// decode rate; nothing where that bandwidth is not known.
std::optional<Rate> predict_published(const PublishedRate& rate);

/// Memory of one conversation of n tokens: weights, cache, workspace, program.
std::uint64_t predict_memory(const ModelWork& work, std::int64_t n, KvType kv_type);

}  // namespace pleiad::fit
