#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "model/checkpoint.h"
#include "model/gemma4/config.h"
#include "model/gemma4/online.h"
#include "model/model.h"

namespace pleiad::gemma4 {

struct ModelOptions {
  int max_rows = 512;
  int max_logit_rows = 8;
  std::optional<OnlineOptions> online = {};  // quantize while loading
};

/// A Gemma 4 text model: E2B, E4B, 12B, 26B-A4B or 31B.
class Gemma4 final : public Model {
 public:
  /// Uploads the checkpoint's tensors to the backend; both must outlive the model.
  /// Throws LoadError, FileChangedError among them.
  Gemma4(const Checkpoint& checkpoint, Backend& backend, const ModelOptions& options,
         const LoadProgress& progress = {});

  const ModelInfo& info() const override { return info_; }
  bool has_one_arithmetic() const override { return backend_.has_one_arithmetic(); }
  std::unique_ptr<KvCache> make_kv_cache(const KvCacheOptions& options) override;
  Logits forward(std::span<const Slice> batch, KvCache& cache) override;
  void set_trace(TraceHook hook) override { trace_ = std::move(hook); }
  void set_input_hook(TraceHook hook) override { input_hook_ = std::move(hook); }

 private:
  /// The mixture of experts beside the dense feed-forward (26B-A4B).
  struct Experts {
    Weight router;        // [n_experts, model_dim]
    Weight router_scale;  // [model_dim], with model_dim^-1/2 folded in
    ExpertWeights weights;
    Weight gate_up, gate, up, down, scale;  // what `weights` points to
    Weight ffn_norm;                        // [model_dim], before the experts
    Weight post_dense_norm;                 // [model_dim], after the dense branch
    Weight post_experts_norm;               // [model_dim]
  };

  struct Layer {
    LayerConfig config;
    Weight attention_norm;       // [model_dim]
    Weight q_proj;               // [n_heads * head_dim, model_dim]
    Weight k_proj;               // [n_kv_heads * head_dim, model_dim]; owners only
    Weight v_proj;               // same; absent where the value is the key
    Weight q_norm;               // [head_dim]
    Weight k_norm;               // [head_dim]; owners only
    Weight o_proj;               // [model_dim, n_heads * head_dim]
    Weight post_attention_norm;  // [model_dim]
    Weight ffn_norm;             // [model_dim]
    Weight gate_proj;            // [ffn_dim, model_dim]
    Weight up_proj;              // [ffn_dim, model_dim]
    Weight down_proj;            // [model_dim, ffn_dim]
    Weight post_ffn_norm;        // [model_dim]
    std::unique_ptr<Experts> experts;
    Weight per_layer_gate;       // [per_layer_dim, model_dim]
    Weight per_layer_proj;       // [model_dim, per_layer_dim]
    Weight post_per_layer_norm;  // [model_dim]
    float output_scale = 1.0F;
    std::size_t kv_index = 0;  // of the owner, among the layers that own
  };

  /// Activations of a step, sized once for max_rows; [rows, ...] each.
  struct Workspace {
    Tensor residual;           // [model_dim]
    Tensor normed;             // [model_dim]
    Tensor branch;             // [model_dim], what a block adds to the residual
    Tensor query;              // [n_heads * head_dim], largest kind
    Tensor key;                // [n_kv_heads * head_dim]
    Tensor value;              // [n_kv_heads * head_dim]
    Tensor attended;           // [n_heads * head_dim]
    Tensor gate;               // [ffn_dim], largest layer
    Tensor up;                 // [ffn_dim]
    Tensor expert_branch;      // [model_dim]
    Tensor router_logits;      // [n_experts]
    Tensor per_layer;          // room for Step::per_layer
    Tensor per_layer_context;  // same
    Tensor per_layer_gate;     // [per_layer_dim]
    Tensor sliding_rope;       // [2 * n_pairs]
    Tensor full_rope;          // [2 * n_pairs]
    Tensor logits;             // [vocab_size]; max_logit_rows rows
    std::unique_ptr<Buffer> memory;
  };

  /// What is known of the pass under way.
  struct Step {
    std::int64_t n_rows = 0;       // rows that are still computed
    std::int64_t n_generated = 0;  // rows of generated tokens; they come first
    // Wanted rows that go on as generated ones where the others are dropped; they come first.
    std::int64_t n_wanted_generated = 0;
    std::vector<std::int32_t> tokens;  // by row; 0 for a soft one
    std::vector<std::int32_t> positions;
    std::vector<std::int32_t> last_visible;  // by row, on sliding layers; see has_blocks
    std::vector<std::int32_t> block_begin;   // by row, where all layers see blocks
    std::vector<const float*> soft;          // by row: [model_dim], or null: a token
    std::vector<std::int32_t> sequences;
    std::vector<std::int32_t> wanted;            // rows with logits
    std::vector<std::int64_t> logit_places;      // where each belongs among the batch's logits
    std::vector<std::vector<PageTable>> tables;  // by group, by sequence
    Tensor per_layer;                            // [n_rows, n * per_layer_dim]: inputs of n layers
    int first_per_layer = 0;                     // the first of them
    KvCache* cache = nullptr;
    bool wants_hidden = false;  // hidden states of all rows, and no logits
    bool has_soft = false;      // some rows are soft
    bool has_blocks = false;    // and see the whole of theirs on sliding layers

    /// No row is dropped after the last layer that owns keys and values, nor computed
    /// otherwise from there on.
    bool keeps_rows() const {
      return wanted.size() == tokens.size() && n_wanted_generated == n_generated;
    }
  };

  // load.cc
  void load(const Checkpoint& checkpoint, const LoadProgress& progress);
  class Loader;
  void load_layer(Loader& loader, int index);
  void load_experts(Loader& loader, const std::string& prefix, Layer& layer);
  void allocate_workspace();

  // forward.cc
  void begin(std::span<const Slice> batch, KvCache& cache);
  Logits compute(std::span<const Slice> batch);
  void add_slice(const Slice& slice, std::int64_t first_logits);
  void expect_rows();
  void embed(Tensor out);
  void run_layer(int index);
  void drop_unwanted_rows();
  Logits head(const TakeLogits* take);
  std::span<const float> read_logits(std::int64_t first, std::int64_t n);
  void read_hidden(std::span<const Slice> batch);
  void trace(std::string_view name, Tensor tensor) const;
  void trace(int layer, std::string_view name, Tensor tensor) const;
  void report_input(std::initializer_list<std::string_view> matrices, Tensor input) const;
  void report_input(int layer, std::initializer_list<std::string_view> matrices,
                    Tensor input) const;

  // soft_rows.cc
  void place_soft_rows(const Slice& slice, std::int64_t first_row);
  void write_soft_rows(Tensor out) const;
  void write_kept_soft_rows(Tensor out) const;
  template <typename RowAt>
  void write_soft_runs(Tensor out, RowAt row_at) const;

  // attention.cc, feed_forward.cc, per_layer_input.cc
  void attend(int index);
  void feed_forward(int index);
  void add_experts(int index);
  void report_expert_inputs(int index, Tensor normed) const;
  void expect_per_layer_rows();
  void prepare_per_layer_inputs();
  void prepare_late_per_layer_inputs();
  void compute_per_layer_inputs(int first, int last, Tensor embedded);
  void add_per_layer_input(int index);

  /// Where the block ends whose last element is at `position` - 1.
  static std::int64_t end_of_block(std::int64_t position, std::int64_t block_size) {
    return (position + block_size - 1) / block_size * block_size;
  }
  Tensor rows_of(Tensor tensor) const { return tensor.top(step_.n_rows); }
  Tensor rope_of(AttentionKind kind) const {
    return rows_of(kind == AttentionKind::sliding ? work_.sliding_rope : work_.full_rope);
  }

  const Checkpoint& checkpoint_;
  Config config_;
  Backend& backend_;
  ModelOptions options_;
  ModelInfo info_;

  Weight embedding_;            // [vocab_size, model_dim]
  Weight untied_head_;          // [vocab_size, model_dim], or absent: the embedding
  Weight final_norm_;           // [model_dim]
  Weight per_layer_embedding_;  // [per_layer_vocab_size, n_layers * per_layer_dim]
  // The projection's rows of the layers before the last that owns keys and values (or absent),
  // and of the layers from it on: [n * per_layer_dim, model_dim] each.
  Weight early_per_layer_projection_;
  Weight late_per_layer_projection_;
  Weight per_layer_norm_;             // [per_layer_dim]
  std::int64_t per_layer_block_ = 1;  // columns of the table that are stored together
  std::vector<Layer> layers_;
  std::vector<EncodedTensor> encoded_;  // quantized while loading, and read in place
  int last_kv_owner_ = 0;               // layers after it read the cache but never write it
  std::vector<float> sliding_frequencies_;
  std::vector<float> full_frequencies_;

  Workspace work_;
  Step step_;
  std::vector<float> host_logits_;
  TraceHook trace_;
  TraceHook input_hook_;
};

}  // namespace pleiad::gemma4
