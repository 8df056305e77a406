#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "model/kv_cache.h"

namespace pleiad {

/// Which rows of a slice the caller wants logits for. last: the next token will be
/// chosen by them, so that from the layer on where only its own logits depend on it
/// the row is computed as generated ones are, whatever its phase. all: to judge a
/// text; every row is computed as its phase says. The two may round differently.
enum class WantLogits : std::uint8_t { none, last, all };

/// What the tokens of a slice are. The two may be computed by kernels that round
/// differently, one made for many rows and one for few; so it is the caller's
/// word, and not the number of tokens, that chooses.
enum class Phase : std::uint8_t { prompt, generation };

/// Soft tokens of a slice: rows that a tower made of a picture or of sound take the place of
/// embeddings, unscaled. The slice's tokens there are placeholders, and count as token 0 where a
/// model has per-layer embeddings. One block, or the rest of one: what a tower made of one picture
/// (or frame of a video); or a part of what one made of sound, which is no block.
struct SoftRows {
  std::int64_t first = 0;       // index into Slice::tokens
  std::span<const float> rows;  // [n, model_dim]
  bool is_block = true;         // they see each other where ModelInfo::bidirectional_blocks
  std::int64_t n_before = 0;    // rows of its block that the sequence holds
};

/// Takes rows of logits as they are computed, [n, vocab_size]. May throw, which ends the pass.
using TakeLogits = std::function<void(std::span<const float>)>;

/// Some consecutive tokens of one sequence: a part of a prompt, or the one
/// token that was just sampled. They go to the positions that follow what the
/// sequence already holds.
struct Slice {
  KvSequence* sequence = nullptr;
  std::span<const std::int32_t> tokens;
  WantLogits logits = WantLogits::last;
  Phase phase = Phase::prompt;
  /// Where the last layer's normalized hidden states go, [tokens, model_dim], or empty.
  /// Where one slice of a batch wants them all do, as prompts and without logits.
  std::span<float> hidden = {};
  /// Ascending. Where ModelInfo::bidirectional_blocks, all of a block that is not computed yet
  /// lies in one slice: its tokens see those that follow.
  std::span<const SoftRows> soft = {};
  /// For a slice alone in its batch that wants all logits, as a prompt: gets them in order, at most
  /// ModelInfo::max_logit_rows at once, where forward() returns none. So memory holds no more rows
  /// than that, however long a slice has to be. Where forward() throws they do not count.
  const TakeLogits* take_logits = nullptr;
};

/// Rows of logits in the order of the wanted rows of a batch; valid until the
/// next forward pass.
struct Logits {
  std::span<const float> values;  // [n_rows, vocab_size]
  std::int64_t vocab_size = 0;

  std::int64_t n_rows() const {
    return vocab_size == 0 ? 0 : static_cast<std::int64_t>(values.size()) / vocab_size;
  }
  std::span<const float> row(std::int64_t index) const {
    return values.subspan(static_cast<std::size_t>(index * vocab_size),
                          static_cast<std::size_t>(vocab_size));
  }
};

struct ModelInfo {
  std::string name;
  std::int64_t vocab_size = 0;
  std::int64_t context_length = 0;
  std::int64_t max_rows = 0;        // tokens of one forward pass
  std::int64_t max_logit_rows = 0;  // wanted rows of one forward pass, unless they are taken
  // Tokens of one forward pass whose hidden states are wanted, or all of whose logits are taken.
  std::int64_t max_hidden_rows = 0;
  std::int64_t model_dim = 0;
  int n_layers = 0;
  /// Soft tokens see their whole block on sliding layers; max_rows holds the longest one.
  bool bidirectional_blocks = false;
  /// And on all other layers, and no window ends within their block.
  bool blocks_on_all_layers = false;
};

/// Receives every named intermediate of a forward pass, row-major f32.
using TraceHook = std::function<void(std::string_view name, std::span<const float> values,
                                     std::int64_t rows, std::int64_t cols)>;

/// Told while a model loads: bytes done, bytes in all.
using LoadProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// THE OUTER SEAM: a whole language model. Callers know tokens and logits;
/// layers, devices and weights are below.
class Model {
 public:
  virtual ~Model() = default;

  virtual const ModelInfo& info() const = 0;

  /// Whether a token's bits are the same, generated or read as part of a prompt.
  virtual bool has_one_arithmetic() const = 0;

  virtual std::unique_ptr<KvCache> make_kv_cache(const KvCacheOptions& options) = 0;

  /// One pass over a ragged batch: tokens of several sequences, prompts and
  /// generation alike. Every sequence must have reserved its positions (see
  /// KvSequence::reserve) and appears once; they are advanced. What is computed
  /// for a token does not depend on the rest of the batch. Allocates nothing.
  /// Throws FileChangedError where the model's file was written to since it was loaded: nothing
  /// was computed then, and this model can compute nothing any more.
  virtual Logits forward(std::span<const Slice> batch, KvCache& cache) = 0;

  /// For comparisons with a reference; an empty hook turns it off.
  virtual void set_trace(TraceHook hook) = 0;

  /// For calibration: the hook receives what every matrix is multiplied with, under the
  /// tensor's name ("layers.3.ffn.down_proj"; a tied head is "embedding"), and for the experts'
  /// down projections a row for each expert in use. Fused operations are taken apart
  /// meanwhile, so results may differ in the last bits. An empty hook turns it off.
  virtual void set_input_hook(TraceHook hook) = 0;
};

}  // namespace pleiad
