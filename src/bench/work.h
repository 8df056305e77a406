#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/kv_view.h"
#include "model/checkpoint.h"
#include "model/gemma4/config.h"
#include "model/gemma4/online.h"
#include "tensor/host_tensor.h"

namespace pleiad::bench {

/// What the accounting knows of a tensor; `name` is ours ("layers.3.ffn.up_proj").
struct TensorSize {
  std::string name;
  Shape shape;
  std::uint64_t bytes = 0;  // with its scales
};

/// The tensors that the text model uses, as they are once they are loaded.
std::vector<TensorSize> tensor_sizes(const Checkpoint& checkpoint,
                                     const std::optional<gemma4::OnlineOptions>& online = {});

/// What has to be done at least, however it is done.
struct Work {
  double bytes = 0;       // read from memory
  double operations = 0;  // floating point; a multiply-add is two
};

/// Counts the work of a model from its shapes and the bytes of its tensors.
///
/// Bytes of one decoded token: every weight once, but
///   - of tables whose rows are gathered (per-layer embeddings; the embedding
///     where the head is a matrix of its own) one row a token;
///   - of the experts, those that a token uses: n_used / n_experts. A step of N
///     sequences uses 1 - (1 - n_used/n_experts)^N of them if tokens choose
///     evenly and independently (an estimate, for N > 1 only).
/// Keys and values: every layer reads those of its owner, all of the context or
/// of its window, the token itself included. Layers that share an owner are
/// counted each: between two of them lie more bytes than caches hold.
///
/// Operations of one row: 2 * the weights of its matrices, and in attention
/// 4 * n_heads * head_dim for every position in reach. Norms, activations and
/// softmax are left out.
class WorkCounter {
 public:
  WorkCounter(gemma4::Config config, std::span<const TensorSize> tensors);

  /// Bytes of weights that one token reads when it is decoded alone.
  double weight_bytes_per_token() const { return weight_bytes(1); }

  /// n_tokens steps, each of one token for every one of n_sequences, whose
  /// contexts hold `depth` tokens at first.
  Work generation(std::int64_t depth, std::int64_t n_tokens, std::int64_t n_sequences,
                  KvType type) const;

  /// A prompt of n_tokens after `depth` others, with logits for its last row.
  /// Let L be the last layer that owns keys and values. All rows need the
  /// layers before L, the key and value projections of L and what feeds the
  /// per-layer inputs of those layers (L of n_layers parts of the projection);
  /// only the last row needs the rest of L, the layers after it and the head.
  /// The weights are counted as read once, the keys and values once a layer.
  Work prompt(std::int64_t depth, std::int64_t n_tokens, KvType type) const;

 private:
  double weight_bytes(std::int64_t n_tokens) const;
  /// Of one layer at a context of n tokens, the querying one included.
  double kv_bytes(const gemma4::LayerConfig& layer, std::int64_t n, KvType type) const;
  double attention_operations(const gemma4::LayerConfig& layer, std::int64_t n) const;
  std::int64_t reach(const gemma4::LayerConfig& layer, std::int64_t n) const;
  void add_operations(const TensorSize& tensor);

  gemma4::Config config_;
  int last_kv_owner_ = 0;
  double dense_bytes_ = 0;     // read once a step
  double row_bytes_ = 0;       // read once a token: gathered rows
  double expert_bytes_ = 0;    // of all experts together
  double prompt_weights_ = 0;  // multiplied with every row of a prompt
  double all_weights_ = 0;     // multiplied with a row that has logits
};

}  // namespace pleiad::bench
