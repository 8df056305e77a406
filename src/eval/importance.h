#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/model.h"
#include "text/token.h"

namespace pleiad::eval {

/// How much each column of each matrix matters: the mean of its squared inputs over
/// a sample text. By the tensor's name ("layers.3.attention.q_proj"; a tied head is
/// "embedding"); a stack of experts has one row for all of them.
struct ImportanceMatrix {
  std::map<std::string, std::vector<float>, std::less<>> columns;  // [in] each
  std::int64_t n_tokens = 0;                                       // that were computed
  bool complete = true;                                            // false: stopped before the end

  /// The columns of a tensor; empty where nothing is known of it.
  std::span<const float> find(std::string_view tensor) const;
};

/// Told after every chunk: tokens done, tokens in all; false stops.
using EvalProgress = std::function<bool(std::int64_t done, std::int64_t total)>;

struct ImportanceOptions {
  std::int64_t chunk_tokens = 512;  // with the first token of each, which is <bos>
  std::int64_t max_chunks = 0;      // 0: the whole text
  EvalProgress progress = {};
};

/// Computes `tokens` in chunks, each a sequence of its own that begins with `bos`.
/// The same bits with any number of threads. Throws Error where the text is empty.
ImportanceMatrix measure_importance(Model& model, std::span<const text::TokenId> tokens,
                                    text::TokenId bos, const ImportanceOptions& options);

}  // namespace pleiad::eval
