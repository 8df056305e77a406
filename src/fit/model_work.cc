#include "fit/model_work.h"

#include <algorithm>

#include "fit/audio_work.h"
#include "fit/vision_work.h"

namespace pleiad::fit {
namespace {

using convert::Container;
using convert::FileType;
using convert::PlannedTensor;
using convert::TensorClass;

/// What a file has beside its tensors, most of it the tokenizer's pieces and merges.
constexpr std::uint64_t kGgufMetadataBytes = 16'000'000;
constexpr std::uint64_t kFolderTextBytes = 32'000'000;

std::vector<PlannedTensor> planned_tensors(const gemma4::Config& config, FileType type) {
  convert::Mix mix;
  mix.type = type;
  return convert::plan(mix, config, gemma4::tensor_table(config));
}

/// Rows of it are read from the file: the per-layer embeddings. (The embedding of
/// every member is its head as well, which a token reads whole.)
bool stays_in_file(const PlannedTensor& tensor) {
  return tensor.tensor_class == TensorClass::ple_table;
}

/// Of a tensor in memory. Packed weights take what the file's blocks take, but for
/// Q5_0, which is unpacked to bytes (kernels/packed.h).
std::uint64_t bytes_in_memory(const PlannedTensor& tensor, FileType type) {
  if (tensor.type != DType::q5_0) return tensor.bytes(type);
  return static_cast<std::uint64_t>(tensor.n_elements()) / 32 * 34;
}

/// What a checkpoint has beside the tensors that the text model uses.
std::uint64_t carried_bytes(const gemma4::FamilyMember& member, FileType type,
                            std::span<const PlannedTensor> planned) {
  if (convert::container_of(type) != Container::folder) return kGgufMetadataBytes;
  const auto q_proj = std::ranges::find(planned, "layers.0.attention.q_proj",
                                        [](const PlannedTensor& t) { return t.spec.name; });
  const double bytes_per_weight =
      static_cast<double>(q_proj->bytes(type)) / static_cast<double>(q_proj->n_elements());
  const double dead = static_cast<double>(gemma4::dead_kv_parameters(member)) * bytes_per_weight;
  const auto audio = AudioWork::of(member);
  return kFolderTextBytes + static_cast<std::uint64_t>(dead) + VisionWork(member).folder_bytes() +
         (audio ? audio->folder_bytes() : 0);
}

}  // namespace

ModelWork::ModelWork(const gemma4::FamilyMember& member, FileType type)
    : config_(gemma4::config_of(member)), without_weights_(config_, {}) {
  const std::vector<PlannedTensor> planned = planned_tensors(config_, type);
  for (const PlannedTensor& tensor : planned) {
    const std::uint64_t bytes = tensor.bytes(type);
    tensor_bytes_ += bytes;
    if (!stays_in_file(tensor)) resident_weight_bytes_ += bytes_in_memory(tensor, type);
  }
  file_bytes_ = tensor_bytes_ + carried_bytes(member, type, planned);
  for (int index = 0; index < kDTypeCount; ++index) {
    const auto stored = static_cast<DType>(index);
    std::vector<bench::TensorSize> tensors;
    for (const PlannedTensor& tensor : planned) {
      if (tensor.type != stored) continue;
      tensors.push_back({tensor.spec.name, tensor.spec.shape, tensor.bytes(type)});
    }
    if (!tensors.empty()) parts_.push_back({stored, bench::WorkCounter(config_, tensors)});
  }
}

std::uint64_t ModelWork::workspace_bytes() const {
  // As Gemma4::allocate_workspace has it, without what is small.
  constexpr std::uint64_t kMaxLogitRows = 8;
  std::uint64_t head_cols = 0;
  std::uint64_t kv_cols = 0;
  std::uint64_t ffn_cols = 0;
  std::uint64_t early_layers = 0;  // before the last that owns keys and values
  for (int index = 0; index < config_.n_layers(); ++index) {
    const gemma4::LayerConfig& layer = config_.layers[static_cast<std::size_t>(index)];
    const auto head_dim = static_cast<std::uint64_t>(layer.head_dim);
    head_cols = std::max(head_cols, static_cast<std::uint64_t>(config_.n_heads) * head_dim);
    kv_cols = std::max(kv_cols, static_cast<std::uint64_t>(layer.n_kv_heads) * head_dim);
    ffn_cols = std::max(ffn_cols, static_cast<std::uint64_t>(layer.ffn_dim));
    if (layer.owns_kv(index)) early_layers = static_cast<std::uint64_t>(index);
  }
  const auto model_dim = static_cast<std::uint64_t>(config_.model_dim);
  const std::uint64_t per_row =
      (config_.experts ? 4 : 3) * model_dim + 2 * (head_cols + kv_cols + ffn_cols) +
      2 * early_layers * static_cast<std::uint64_t>(config_.per_layer_dim);
  return sizeof(float) *
         (kMaxRows * per_row + kMaxLogitRows * static_cast<std::uint64_t>(config_.vocab_size));
}

double ModelWork::bytes_per_token() const {
  double bytes = 0;
  for (const Part& part : parts_) bytes += part.counter.weight_bytes_per_token();
  return bytes;
}

double ModelWork::kv_bytes_per_token(std::int64_t depth, KvType kv_type) const {
  return without_weights_.generation(depth, 1, 1, kv_type).bytes;
}

double ModelWork::prompt_operations(const Part& part, std::int64_t n) const {
  return part.counter.prompt(0, n, KvType::bf16).operations - prompt_attention_operations(n);
}

double ModelWork::last_row_bytes(const Part& part) const {
  const double all = prompt_operations(part, 1);  // one row alone goes through everything
  if (all == 0) return 0;                         // norms
  const double every_row = prompt_operations(part, 2) - all;
  return part.counter.weight_bytes_per_token() * (1 - every_row / all);
}

int ModelWork::n_last_row_layers() const {
  int last_owner = 0;
  for (int index = 0; index < config_.n_layers(); ++index) {
    if (config_.layers[static_cast<std::size_t>(index)].owns_kv(index)) last_owner = index;
  }
  return config_.n_layers() - last_owner;
}

double ModelWork::prompt_attention_operations(std::int64_t n) const {
  return without_weights_.prompt(0, n, KvType::bf16).operations;
}

double ModelWork::values_per_prompt_row() const {
  double values = 0;
  double all = 0;
  for (int index = 0; index < config_.n_layers(); ++index) {
    const gemma4::LayerConfig& layer = config_.layers[static_cast<std::size_t>(index)];
    // The residual and its norms; queries and what they attend to; gate and up.
    all += 6.0 * config_.model_dim + 2.0 * config_.n_heads * layer.head_dim + 2.0 * layer.ffn_dim;
    if (config_.experts) {
      all += 2.0 * config_.experts->n_experts_used *
             (config_.experts->ffn_dim + 0.5 * config_.model_dim);
    }
    if (layer.owns_kv(index)) values = all;
  }
  return values;
}

std::uint64_t kv_cache_bytes(const gemma4::Config& config, std::int64_t n, KvType type) {
  constexpr std::int64_t kPageTokens = 64;  // as KvCacheOptions has it
  const auto pages = [](std::int64_t positions) {
    return (positions + kPageTokens - 1) / kPageTokens;
  };
  std::uint64_t bytes = 0;
  for (int index = 0; index < config.n_layers(); ++index) {
    const gemma4::LayerConfig& layer = config.layers[static_cast<std::size_t>(index)];
    if (!layer.owns_kv(index)) continue;
    const bool slides = layer.attention == gemma4::AttentionKind::sliding;
    const std::int64_t in_reach =
        slides ? pages(config.sliding_window - 1 + ModelWork::kMaxRows) + 1 : pages(n);
    const auto values = static_cast<std::size_t>(layer.n_kv_heads) *
                        static_cast<std::size_t>(layer.head_dim * kPageTokens);
    const std::size_t page = 2 * kv_bytes(kv_type_of(type, slides), values);
    bytes += static_cast<std::uint64_t>(std::min(pages(n), in_reach)) * page;
  }
  return bytes;
}

}  // namespace pleiad::fit
