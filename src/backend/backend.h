#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "backend/kv_view.h"
#include "backend/tensor.h"
#include "backend/weight.h"

namespace pleiad {

/// What a row of a step is: which token, where in which sequence.
struct StepRows {
  std::span<const std::int32_t> tokens;     // [n_rows]
  std::span<const std::int32_t> positions;  // [n_rows], from 0 in each sequence
  std::span<const std::int32_t> sequences;  // [n_rows], index into KvView::tables
  std::int64_t n_generated = 0;  // the first rows: tokens being generated; the rest are prompt
  /// [n_rows], or empty: the last position that a row of a prompt sees on layers with a window, at
  /// least its own. What is between lies in the cache or in this step. Empty: its own.
  std::span<const std::int32_t> last_visible = {};
  /// [n_rows], or empty: from where a row of a prompt sees all up to last_visible, on layers
  /// without a window too and even where a window is shorter; at most its own position, which it is
  /// where a row sees no more than others. The cache holds what is between.
  std::span<const std::int32_t> block_begin = {};

  std::int64_t count() const { return static_cast<std::int64_t>(tokens.size()); }
};

/// One of several products with the same input: out = x * weight^T.
struct LinearTask {
  Tensor out;  // [n_rows, out]
  const Weight* weight;
};

/// A gated feed-forward.
struct FeedForwardWeights {
  const Weight* gate = nullptr;  // [ffn_dim, model_dim]
  const Weight* up = nullptr;    // [ffn_dim, model_dim]
  const Weight* down = nullptr;  // [model_dim, ffn_dim]
};

/// The experts of one layer; gate and up either fused (gate rows first) or apart.
struct ExpertWeights {
  const Weight* gate_up = nullptr;  // [n_experts, 2 * ffn_dim, model_dim]
  const Weight* gate = nullptr;     // [n_experts, ffn_dim, model_dim]
  const Weight* up = nullptr;       // [n_experts, ffn_dim, model_dim]
  const Weight* down = nullptr;     // [n_experts, model_dim, ffn_dim]
  const Weight* scale = nullptr;    // [n_experts], a factor of each expert's share
  int n_experts = 0;
  int n_used = 0;
  int ffn_dim = 0;
};

/// Keys and values of one layer of an encoder: of everything that its rows attend to.
struct EncoderKvLayout {
  KvType type = KvType::bf16;  // bf16: may be rounded to that where it is quicker; f32: never
  int n_heads = 0;
  int head_dim = 0;
  std::int64_t n_rows = 0;
};

/// These in memory, in an order that is the backend's business.
struct EncoderKv {
  EncoderKvLayout layout;
  std::byte* memory = nullptr;  // Backend::encoder_kv_bytes(layout) of a Buffer, from its beginning
};

/// Attention of an encoder of sound, in which a row sees itself and the few rows before it.
struct LocalAttention {
  int n_heads = 0;
  int head_dim = 0;
  int window = 0;  // rows that one sees, its own among them
  float key_scale = 1.0F;
  float cap = 0.0F;  // of scores: cap * tanh(score / cap)
};

/// Memory owned by a backend; zeroed when handed out.
class Buffer {
 public:
  virtual ~Buffer() = default;
  virtual std::byte* data() = 0;
  virtual std::size_t size() const = 0;
};

/// When a buffer takes its memory from the system.
enum class Taken : std::uint8_t {
  at_once,       // whoever writes to it waits for nothing
  when_written,  // a large one, page by page: whoever needs it bit by bit does not wait for all
};

/// THE SEAM to a device: some forty coarse operations on f32 activations.
/// One call is one or two barriers or launches, but for experts(). Everything that is
/// computed for a row depends on that row, its sequence, the weights, and whether
/// it is generated or part of a prompt: never on the other rows of the step nor on
/// the number of threads.
///
/// Shapes are CHECKed; a violation is a mistake of the caller's.
class Backend {
 public:
  virtual ~Backend() = default;

  /// "cpu (avx512, 2 threads)"
  virtual std::string description() const = 0;

  /// Whether a token's bits are the same, generated or read as part of a prompt.
  virtual bool has_one_arithmetic() const = 0;

  /// Throws NoMemoryError or std::bad_alloc.
  virtual std::unique_ptr<Buffer> allocate(std::size_t bytes, Taken taken) = 0;
  std::unique_ptr<Buffer> allocate(std::size_t bytes) { return allocate(bytes, Taken::at_once); }

  /// Takes a tensor of the file. Throws LoadError when its type has no kernel
  /// for this use.
  virtual Weight upload(const HostTensor& tensor, WeightUse use) = 0;

  /// Makes room for experts(): to be called for every layer's before the first
  /// step, since a step allocates nothing.
  virtual void reserve_experts(std::int64_t model_dim, const ExpertWeights& weights) = 0;

  /// Makes room for attention() with so many query heads: to be called for every
  /// kind of layer before the first step.
  virtual void reserve_attention(int n_heads, int head_dim) = 0;

  /// A hint that columns [first_column, first_column + n_columns) of these tokens' rows of a
  /// table will be embedded soon: what lies on a disk is asked for, everything at once, and
  /// nobody waits. At most as many tokens as a step has rows.
  virtual void expect_rows(const Weight& table, std::span<const std::int32_t> tokens,
                           std::int64_t first_column, std::int64_t n_columns) = 0;

  /// Makes room for encoder_attention() over at most this: to be called before the first one.
  virtual void reserve_encoder_attention(const EncoderKvLayout& largest) = 0;

  /// Proportional to layout.n_rows.
  virtual std::size_t encoder_kv_bytes(const EncoderKvLayout& layout) const = 0;

  virtual void begin_step(const StepRows& rows) = 0;
  /// From here to the end of the step, tensors hold these rows only (ascending), and the
  /// first n_generated of them are computed as generated tokens, whatever they were before.
  virtual void keep_rows(std::span<const std::int32_t> rows, std::int64_t n_generated) = 0;
  virtual void end_step() = 0;

  /// out[i, :] = scale * table[tokens[i], :] for the tokens of the step's rows (of those that
  /// are kept); only the out.cols columns from `first_column` on are read.
  virtual void embed(Tensor out, const Weight& table, std::int64_t first_column, float scale) = 0;

  /// out = x * weight^T for each task; weights are [out.cols, x.cols].
  virtual void linear(std::span<const LinearTask> tasks, Tensor x) = 0;

  /// out = x / sqrt(mean(x^2) + eps) * weight, per row; no weight: factor 1.
  virtual void rms_norm(Tensor out, Tensor x, const Weight* weight, float eps) = 0;

  /// residual += rms_norm(branch) * weight, then residual *= scale.
  virtual void norm_add(Tensor residual, Tensor branch, const Weight& weight, float eps,
                        float scale) = 0;

  /// cos and sin of position * frequency for every row of the step:
  /// out is [n_rows, 2 * n_pairs], the cosines first.
  virtual void rope_table(Tensor out, std::span<const float> frequencies) = 0;

  /// In place: every head of `query` [n_rows, n_heads * head_dim] is normed
  /// with `norm` [head_dim] and rotated by the rope table.
  virtual void norm_rope(Tensor query, const Weight& norm, int head_dim, Tensor rope,
                         float eps) = 0;

  /// cos and sin of x * frequency, then of y * frequency, for rows at (xs[i], ys[i]):
  /// out is [n_rows, 4 * n_pairs]: cosines of x, sines of x, cosines of y, sines of y.
  virtual void rope_table_2d(Tensor out, std::span<const std::int32_t> xs,
                             std::span<const std::int32_t> ys,
                             std::span<const float> frequencies) = 0;

  /// As norm_rope, with a table of rope_table_2d: a head's first half turns with x, the second
  /// with y, each in pairs (i, i + head_dim / 4); head_dim is 4 * n_pairs.
  virtual void norm_rope_2d(Tensor query, const Weight& norm, int head_dim, Tensor rope,
                            float eps) = 0;

  /// Norms and rotates keys, norms values (without a weight), and writes them
  /// to the cache at the rows' positions. key and value are overwritten with
  /// what was stored, in f32. value may be the same tensor as key (k_eq_v).
  virtual void store_kv(const KvView& cache, Tensor key, Tensor value, const Weight& key_norm,
                        Tensor rope, float eps) = 0;

  /// out[i] = softmax(query[i] . keys) * values over the cached positions
  /// (position - window, position]; window 0: all up to position. With a window and
  /// StepRows::last_visible a row of a prompt sees (position - window, last_visible], with
  /// StepRows::block_begin whatever the window also [block_begin, last_visible]. Scores are not
  /// scaled (Gemma 4 has the scale in its q and k norms).
  virtual void attention(Tensor out, Tensor query, const KvView& cache, int window) = 0;

  /// Of an encoder, whose rows lie in no step: norms (with key_norm) and rotates (by a table of
  /// rope_table_2d) keys, norms values (without a weight), and keeps them as rows
  /// [first_row, first_row + key.rows) of `kv`. key and value are overwritten. Every row is to be
  /// stored before encoder_attention().
  virtual void store_encoder_kv(const EncoderKv& kv, std::int64_t first_row, Tensor key,
                                Tensor value, const Weight& key_norm, Tensor rope, float eps) = 0;

  /// out[i] = softmax(query[i] . keys) * values over all rows of `kv`, head by head; scores are not
  /// scaled. A row's result depends on its query and on `kv` alone, and memory does not grow with
  /// the square of the rows.
  virtual void encoder_attention(Tensor out, Tensor query, const EncoderKv& kv) = 0;

  /// out = down(gelu_tanh(gate(x)) * up(x)). `gate` and `up` [n_rows, ffn_dim] are room
  /// to compute in; what they hold afterwards is not said.
  virtual void feed_forward(Tensor out, Tensor x, const FeedForwardWeights& weights, Tensor gate,
                            Tensor up) = 0;

  /// For row first + i of an encoder, head by head, over the rows j that it sees
  /// (first + i - window, first + i]: out[i] = softmax(scores) * value[j], where
  /// score = cap(q . key[j] * key_scale + q . distances[first + i - j]) and
  /// q = query[i] * query_scale. `key` and `value` are all rows, [n_rows, n_heads * head_dim];
  /// query_scale is a vector [head_dim], distances one of [window, n_heads * head_dim].
  virtual void local_attention(Tensor out, Tensor query, Tensor key, Tensor value,
                               std::int64_t first, const Weight& query_scale,
                               const Weight& distances, const LocalAttention& shape) = 0;

  /// Each column by itself, over rows in time: out[i] = sum of taps[k] * x[first + i - k], k from
  /// 0; what was before x is zeros. taps is a vector [n_taps, cols].
  virtual void causal_convolution(Tensor out, Tensor x, std::int64_t first, const Weight& taps) = 0;

  /// x = x * sigmoid(x)
  virtual void silu(Tensor x) = 0;

  /// out = (the first half of x's columns) * sigmoid(the second half)
  virtual void gated_linear_unit(Tensor out, Tensor x) = 0;

  /// gate = gelu_tanh(gate) * up
  virtual void gated_gelu(Tensor gate, Tensor up) = 0;

  /// The per-layer inputs of every row: combined[:, l] =
  /// (rms_norm(context[:, l] * context_scale) * norm + combined[:, l]) * 2^-1/2,
  /// each l a span of per_layer_dim columns (Gemma 4 PLE).
  virtual void combine_per_layer(Tensor combined, Tensor context, const Weight& norm,
                                 int per_layer_dim, float context_scale, float eps) = 0;

  /// out = sum of the n_used best experts' outputs for x, weighted by the
  /// renormalized softmax of router_logits [n_rows, n_experts] and by scale.
  virtual void experts(Tensor out, Tensor x, Tensor router_logits,
                       const ExpertWeights& weights) = 0;

  /// What the last experts() of `n_rows` rows multiplied with the down projections:
  /// [n_rows * n_used, ffn_dim], expert by expert. Valid until the next call of that.
  virtual Tensor expert_hidden(std::int64_t n_rows, const ExpertWeights& weights) = 0;

  /// a += b
  virtual void add(Tensor a, Tensor b) = 0;

  /// out = min(max(x, low), high); out may be x. What is no number stays none.
  virtual void clamp(Tensor out, Tensor x, float low, float high) = 0;

  /// x = cap * tanh(x / cap)
  virtual void softcap(Tensor x, float cap) = 0;

  /// out[i, :] = x[rows[i], :]
  virtual void gather_rows(Tensor out, Tensor x, std::span<const std::int32_t> rows) = 0;

  /// Copies a page of a cache, or of what a buffer holds else; the two do not overlap.
  virtual void copy_page(std::byte* to, const std::byte* from, std::size_t bytes) = 0;

  /// Copies from host memory, [x.rows, x.cols].
  virtual void write(Tensor x, std::span<const float> host) = 0;

  /// Copies to host memory; waits for everything before it.
  virtual void read(std::span<float> host, Tensor x) = 0;
};

}  // namespace pleiad
