#include "serving/pool/memory_need.h"

#include <algorithm>

#include "base/picture_budgets.h"
#include "engine/loaded_model.h"

namespace pleiad::serving {
namespace {

// A model that could not hold one such prompt would be of no use.
constexpr std::int64_t kLeastContext = 8192;

/// The largest table of the small models is read from the file, row by row.
constexpr std::string_view kReadInPlace = "per_layer.embedding";

std::uint64_t weight_bytes(const Checkpoint& checkpoint,
                           const std::optional<gemma4::OnlineOptions>& online) {
  std::uint64_t bytes = 0;
  checkpoint.for_each([&](std::string_view name, const HostTensor&) {
    if (name != kReadInPlace) bytes += gemma4::loaded_bytes(checkpoint, name, online);
  });
  return bytes;
}

/// What a step takes that has to hold all of a picture: the activations of its rows, as the forward
/// pass makes room for them.
std::uint64_t block_bytes(const Checkpoint& checkpoint, const EngineOptions& options) {
  const gemma4::Config& config = checkpoint.config();
  if (!config.bidirectional_blocks) return 0;
  std::int64_t head_cols = 0;
  std::int64_t kv_cols = 0;
  std::int64_t ffn_cols = 0;
  for (const gemma4::LayerConfig& layer : config.layers) {
    head_cols = std::max(head_cols, std::int64_t{config.n_heads} * layer.head_dim);
    kv_cols = std::max(kv_cols, std::int64_t{layer.n_kv_heads} * layer.head_dim);
    ffn_cols = std::max<std::int64_t>(ffn_cols, layer.ffn_dim);
  }
  std::int64_t cols = 3 * std::int64_t{config.model_dim} + 2 * (head_cols + kv_cols + ffn_cols);
  if (config.experts) cols += config.model_dim + config.experts->n_experts;
  const std::int64_t rows = step_rows(checkpoint, 0, options.max_running);
  return static_cast<std::uint64_t>(rows * cols) * sizeof(float);
}

/// Tables of positions, of which pictures read their rows in the file.
constexpr std::string_view kPositions = "vision.position_embedding";

std::uint64_t tower_bytes(const Checkpoint& checkpoint) {
  std::uint64_t bytes = checkpoint.vision_tensor_bytes() + checkpoint.audio_tensor_bytes();
  if (const HostTensor* table = checkpoint.find_vision(kPositions)) bytes -= table->data.size();
  return bytes;
}

/// What pictures take once they come, beside the tower: what is computed of the largest (some rows
/// of its width for each of 10,080 patches; of an embedder's larger ones 1,120), and the step that
/// it is shown in.
std::uint64_t picture_bytes(const Checkpoint& checkpoint, const EngineOptions& options) {
  constexpr std::uint64_t kMostTokens = kPictureBudgets.back();
  constexpr std::uint64_t kRowsOfAPatch = 5;
  const gemma4::VisionConfig* tower = checkpoint.vision();
  if (!tower) return 0;
  const auto pooling = static_cast<std::uint64_t>(tower->pooling);
  const std::uint64_t most_patches = kMostTokens * pooling * pooling;
  const auto row_bytes = static_cast<std::uint64_t>(tower->hidden_dim) * sizeof(float);
  return most_patches * kRowsOfAPatch * row_bytes + block_bytes(checkpoint, options);
}

/// What a clip of sound takes: its samples and features, and some rows of the tower's width.
std::uint64_t sound_bytes(const Checkpoint& checkpoint) {
  constexpr std::int64_t kFeaturesOfARow = 4 * 128;  // four frames of as many bands
  constexpr std::int64_t kTensors = 4;
  const gemma4::AudioConfig* tower = checkpoint.audio();
  if (!tower) return 0;
  const std::int64_t rows = gemma4::sound_tokens(*tower, tower->max_samples);
  const std::int64_t cols = kFeaturesOfARow + kTensors * tower->hidden_dim + tower->model_dim;
  return static_cast<std::uint64_t>(tower->max_samples + rows * cols) * sizeof(float);
}

std::uint64_t media_bytes(const Checkpoint& checkpoint, const EngineOptions& options) {
  if (!checkpoint.vision() && !checkpoint.audio()) return 0;
  // One is encoded at a time.
  return std::max(picture_bytes(checkpoint, options), sound_bytes(checkpoint)) +
         options.encodings_bytes;
}

}  // namespace

std::uint64_t kv_bytes_of(const gemma4::Config& config, KvType type, std::int64_t n) {
  const int page_tokens = KvCacheOptions().page_tokens;
  const auto whole_pages = [&](std::int64_t tokens) {
    return (tokens + page_tokens - 1) / page_tokens * page_tokens;
  };
  std::uint64_t bytes = 0;
  for (int index = 0; index < config.n_layers(); ++index) {
    const gemma4::LayerConfig& layer = config.layers[static_cast<std::size_t>(index)];
    if (!layer.owns_kv(index)) continue;
    const bool slides = layer.attention == gemma4::AttentionKind::sliding;
    // A window lies across one page more than its length fills.
    const std::int64_t tokens =
        slides ? std::min<std::int64_t>(n, config.sliding_window + page_tokens) : n;
    const std::int64_t values = whole_pages(tokens) * layer.n_kv_heads * layer.head_dim;
    bytes += 2 * kv_bytes(kv_type_of(type, slides), static_cast<std::size_t>(values));
  }
  return bytes;
}

MemoryNeed memory_need(const Checkpoint& checkpoint, const EngineOptions& options,
                       const std::optional<gemma4::OnlineOptions>& online) {
  const gemma4::Config& config = checkpoint.config();
  const std::int64_t longest =
      options.context_length > 0
          ? std::min<std::int64_t>(options.context_length, config.context_length)
          : config.context_length;
  MemoryNeed need;
  need.weight_bytes = weight_bytes(checkpoint, online);
  need.least_kv_bytes = kv_bytes_of(config, options.kv_type, std::min(longest, kLeastContext));
  // All that may run at the same time, and as much again for prompts of before.
  need.most_kv_bytes = 2 * static_cast<std::uint64_t>(std::max(options.max_running, 1)) *
                       kv_bytes_of(config, options.kv_type, longest);
  need.tower_bytes = tower_bytes(checkpoint);
  need.media_bytes = media_bytes(checkpoint, options);
  return need;
}

}  // namespace pleiad::serving
