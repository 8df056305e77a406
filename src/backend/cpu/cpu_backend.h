#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/activations.h"
#include "backend/cpu/huge_memory.h"
#include "backend/cpu/huge_page_use.h"
#include "backend/cpu/isa.h"
#include "backend/cpu/packing.h"
#include "backend/cpu/read_ahead.h"
#include "backend/cpu/thread_pool.h"
#include "base/aligned_buffer.h"

namespace pleiad::cpu {

/// A weight as the CPU uses it: matrices packed for the kernels, tables as the
/// bytes of the file, read in place; vectors as a copy in f32.
class CpuWeight final : public Weight::Storage {
 public:
  DType dtype = DType::f32;
  const std::byte* data = nullptr;
  const std::byte* block_scales = nullptr;  // E4M3 by 16 elements, or null
  std::vector<float> row_scales;            // by row, or empty
  float tensor_scale = 1.0F;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t row_bytes = 0;
  std::optional<PackedMatrices> packed;   // matrices, but for types without a packed form
  AlignedBuffer<float> copy;              // vectors
  ReadAhead::Product* product = nullptr;  // of packed ones: where reading begins

  static const CpuWeight& of(const Weight& weight) {
    return static_cast<const CpuWeight&>(weight.storage());
  }
  const float* vector() const { return reinterpret_cast<const float*>(data); }
};

/// In which form activations meet weights of integer types.
enum class ActivationForm : std::uint8_t {
  automatic,  // as bytes; with a matrix unit as words for generated tokens, as bf16 for prompts
  bytes,      // 8 bits, a scale for 32 columns
  words,      // 16 bits, a scale for 32 columns or a superblock
};

struct CpuOptions {
  std::string isa;              // "" picks the best one
  int n_threads = 0;            // 0: usable_cores()
  std::int64_t max_rows = 512;  // rows of the largest step
  ActivationForm activations = ActivationForm::automatic;
};

/// The backend that runs everywhere. Activations are plain host memory.
class CpuBackend : public Backend {
 public:
  explicit CpuBackend(const CpuOptions& options);

  /// In which pages the packed weights lie. Asks the system: takes milliseconds.
  HugePageUse packed_weights() const;

  /// Whether all rows meet weights of this type as bytes, whose products are integers.
  bool multiplies_bytes(DType type) const;

  std::string description() const override;
  bool has_one_arithmetic() const override;
  using Backend::allocate;
  std::unique_ptr<Buffer> allocate(std::size_t bytes, Taken taken) override;
  Weight upload(const HostTensor& tensor, WeightUse use) override;
  void reserve_experts(std::int64_t model_dim, const ExpertWeights& weights) override;
  void reserve_attention(int n_heads, int head_dim) override;
  void reserve_encoder_attention(const EncoderKvLayout& largest) override;
  std::size_t encoder_kv_bytes(const EncoderKvLayout& layout) const override;
  void expect_rows(const Weight& table, std::span<const std::int32_t> tokens,
                   std::int64_t first_column, std::int64_t n_columns) override;
  void begin_step(const StepRows& rows) override;
  void keep_rows(std::span<const std::int32_t> rows, std::int64_t n_generated) override;
  void end_step() override;
  void embed(Tensor out, const Weight& table, std::int64_t first_column, float scale) override;
  void linear(std::span<const LinearTask> tasks, Tensor x) override;
  void rms_norm(Tensor out, Tensor x, const Weight* weight, float eps) override;
  void norm_add(Tensor residual, Tensor branch, const Weight& weight, float eps,
                float scale) override;
  void rope_table(Tensor out, std::span<const float> frequencies) override;
  void norm_rope(Tensor query, const Weight& norm, int head_dim, Tensor rope, float eps) override;
  void rope_table_2d(Tensor out, std::span<const std::int32_t> xs, std::span<const std::int32_t> ys,
                     std::span<const float> frequencies) override;
  void norm_rope_2d(Tensor query, const Weight& norm, int head_dim, Tensor rope,
                    float eps) override;
  void store_kv(const KvView& cache, Tensor key, Tensor value, const Weight& key_norm, Tensor rope,
                float eps) override;
  void attention(Tensor out, Tensor query, const KvView& cache, int window) override;
  void store_encoder_kv(const EncoderKv& kv, std::int64_t first_row, Tensor key, Tensor value,
                        const Weight& key_norm, Tensor rope, float eps) override;
  void encoder_attention(Tensor out, Tensor query, const EncoderKv& kv) override;
  void feed_forward(Tensor out, Tensor x, const FeedForwardWeights& weights, Tensor gate,
                    Tensor up) override;
  void local_attention(Tensor out, Tensor query, Tensor key, Tensor value, std::int64_t first,
                       const Weight& query_scale, const Weight& distances,
                       const LocalAttention& shape) override;
  void causal_convolution(Tensor out, Tensor x, std::int64_t first, const Weight& taps) override;
  void silu(Tensor x) override;
  void gated_linear_unit(Tensor out, Tensor x) override;
  void gated_gelu(Tensor gate, Tensor up) override;
  void combine_per_layer(Tensor combined, Tensor context, const Weight& norm, int per_layer_dim,
                         float context_scale, float eps) override;
  void experts(Tensor out, Tensor x, Tensor router_logits, const ExpertWeights& weights) override;
  Tensor expert_hidden(std::int64_t n_rows, const ExpertWeights& weights) override;
  void add(Tensor a, Tensor b) override;
  void clamp(Tensor out, Tensor x, float low, float high) override;
  void softcap(Tensor x, float cap) override;
  void gather_rows(Tensor out, Tensor x, std::span<const std::int32_t> rows) override;
  void copy_page(std::byte* to, const std::byte* from, std::size_t bytes) override;
  void write(Tensor x, std::span<const float> host) override;
  void read(std::span<float> host, Tensor x) override;

 private:
  /// One product: with a whole weight, or with one matrix of several.
  struct LinearPart {
    const CpuWeight* weight;
    std::int64_t matrix;
    Tensor out;
  };
  /// The products of one weight, one kernel and one block of rows, cut into tasks.
  struct LinearJob {
    enum class Kernel : std::uint8_t { unpacked, packed, tiles, tiles_gated } kernel;
    kernels::LinearArgs unpacked;
    kernels::PackedArgs packed;
    kernels::TileArgs tiles;
    kernels::TileGatedArgs tiles_gated;
    kernels::PackedLinear run_packed;
    std::int64_t units;  // weight rows, or panels
    std::int64_t units_per_task;
    std::int64_t tasks() const { return (units + units_per_task - 1) / units_per_task; }
  };
  std::size_t max_linear_jobs() const;
  /// The first n_words rows of x meet weights of integer types as words.
  void run_linear(std::span<const LinearPart> parts, Tensor x, std::int64_t n_words);
  /// How many of a product's rows do, the first n_generated of which are generated.
  std::int64_t rows_as_words(std::int64_t n_rows, std::int64_t n_generated) const;
  /// Prompt rows, all on the matrix unit.
  void run_tiled_feed_forward(Tensor out, Tensor x, const CpuWeight& gate, const CpuWeight& up,
                              const CpuWeight& down);
  bool uses_tiles(const CpuWeight& weight) const;
  kernels::LinearArgs linear_args(const LinearPart& part, Tensor x) const;
  /// What every product with packed weights is told of them, and of rows
  /// [first_x, first_x + n_x) of part.out.
  template <typename Args>
  static Args panel_args(const LinearPart& part, std::int64_t first_x, std::int64_t n_x);
  kernels::PackedArgs packed_args(const LinearPart& part, std::int64_t first_x, std::int64_t n_x,
                                  bool words) const;
  /// Rows [first_x, first_x + n_x) of `tiles` and of part.out.
  kernels::TileArgs tile_args(const LinearPart& part, const std::byte* tiles, std::int64_t first_x,
                              std::int64_t n_x) const;
  void add_tile_jobs(const LinearPart& part, const std::byte* tiles);
  /// Panels of a task on the matrix unit, of so many.
  std::int64_t even_share(std::int64_t panels) const;
  void run_jobs();
  template <typename Run>
  void in_pieces(Tensor x, const Run& run);
  void announce(const CpuWeight& first);

  struct AttentionWork;
  void attend_prompt(const AttentionWork& work);
  void attend_prompt_in_tiles(const AttentionWork& work);
  bool uses_prompt_tiles(const KvLayout& layout) const;
  bool uses_generated_tiles(const KvLayout& layout) const;
  /// Bytes of scratch that a worker needs for attention in tiles.
  static std::size_t attention_scratch_bytes(std::int64_t head_dim);
  /// So many for each worker, one after the other.
  std::byte* attention_scratch(std::int64_t head_dim);
  /// Floats of scratch that a worker needs for attention outside of tiles.
  static std::size_t attention_floats(const KvLayout& layout);
  void attend_in_pieces(const kernels::AttentionArgs& whole, float* scratch);
  struct RowPieces;
  void attend_generated(const AttentionWork& work);
  void attend_pieces(const AttentionWork& work, std::span<const RowPieces> rows);
  /// Where what a row of a prompt sees begins and ends.
  std::int64_t first_of(std::int64_t row, int window) const;
  std::int64_t last_of(std::int64_t row, int window) const;

  /// By a row of rope_table_2d.
  void rotate_2d(float* head, std::int64_t head_dim, const float* rope) const;
  bool uses_encoder_tiles(const EncoderKvLayout& layout) const;
  std::size_t encoder_scratch_bytes(const EncoderKvLayout& layout) const;
  void attend_encoder(Tensor out, Tensor query, const EncoderKv& kv);
  void attend_encoder_in_tiles(Tensor out, Tensor query, const EncoderKv& kv);

  std::byte* tile_scratch(int worker) {
    return tile_scratch_.data() + worker * kernels::kTileScratch;
  }
  /// Of a kept row.
  std::int32_t sequence_of(std::int64_t row) const { return step_.sequences[step_index(row)]; }
  std::int64_t position_of(std::int64_t row) const { return step_.positions[step_index(row)]; }
  std::size_t step_index(std::int64_t row) const {
    return static_cast<std::size_t>(kept_rows_[static_cast<std::size_t>(row)]);
  }

  float* scratch(int worker) { return scratch_[static_cast<std::size_t>(worker)].data(); }

  Isa isa_;
  ActivationForm activation_form_;
  kernels::Kernels kernels_;
  std::int64_t max_rows_;
  int n_threads_;
  ReadAhead read_ahead_;  // outlives the threads, which use it while they wait
  ThreadPool pool_;
  std::vector<AlignedBuffer<float>> scratch_;  // by worker
  HugeArena arena_;
  Activations activations_;
  HugeMemory tile_scratch_;  // by worker
  std::vector<LinearJob> jobs_;
  HugeMemory pieces_;  // attention of generated tokens: sums by pieces of positions
  std::vector<float> attention_state_;  // of each row's query heads: maximum, total
  HugeMemory attention_scratch_;        // in tiles, by worker
  HugeMemory encoder_scratch_;          // by worker
  std::vector<std::byte*> encoder_pages_;
  StepRows step_;
  std::vector<std::int32_t> expected_;   // tokens whose rows are asked for, ascending
  std::vector<std::int32_t> kept_rows_;  // of the step, ascending
  std::int64_t n_generated_ = 0;         // of the kept rows, the first ones

  // Experts: sized by reserve_experts().
  struct ExpertShare {
    std::int32_t row;
    std::int32_t slot;  // place of this share among the row's chosen experts
  };
  std::vector<std::int32_t> chosen_;  // [rows, n_used], ascending
  std::vector<float> share_;          // [rows, n_used]
  std::vector<std::vector<ExpertShare>> by_expert_;
  AlignedBuffer<float> expert_in_;      // gathered inputs of every share
  AlignedBuffer<float> expert_hidden_;  // gate and up
  AlignedBuffer<float> expert_out_;
};

}  // namespace pleiad::cpu
