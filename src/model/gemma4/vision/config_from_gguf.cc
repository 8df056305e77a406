#include <algorithm>
#include <array>
#include <string>

#include "base/error.h"
#include "base/picture_budgets.h"
#include "base/text_format.h"
#include "formats/gguf/reader.h"
#include "model/gemma4/config_rules.h"
#include "model/gemma4/encoder_gguf.h"
#include "model/gemma4/gguf_keys.h"
#include "model/gemma4/vision/config_load.h"
#include "model/gemma4/vision/config_rules.h"
#include "model/gemma4/vision/tensor_table.h"

namespace pleiad::gemma4 {
namespace {

constexpr std::string_view kPatchTensor = "v.patch_embd.weight";
constexpr std::string_view kPositionTensor = "v.position_embd.weight";
constexpr std::string_view kClipKeys = "clip.vision";
constexpr std::string_view kCombinedKeys = "gemma4.vision";

/// The projector of another architecture would be read as ours and say nonsense.
VisionKind projector_kind(const gguf::File& file, ProblemList& problems) {
  for (const std::string_view key : {"clip.vision.projector_type", "clip.projector_type"}) {
    const auto type = file.metadata().find_string(key);
    if (!type) continue;
    if (*type == kEmbedderType) return VisionKind::embedder;
    if (*type != kTowerType) {
      problems.add("metadata key '{}': expected {} or {}, found '{}'", key, kTowerType,
                   kEmbedderType, printable(*type));
    }
    return VisionKind::tower;
  }
  problems.add("metadata key 'clip.vision.projector_type' is missing");
  return VisionKind::tower;
}

/// The middle dimension of the table, which the metadata does not repeat.
int position_table_size(const gguf::File& file, ProblemList& problems) {
  const gguf::TensorInfo* info = file.find_tensor(kPositionTensor);
  if (info == nullptr) {
    problems.add("tensor '{}' is missing", kPositionTensor);
    return 1;
  }
  if (info->shape.size() != 3 || info->shape[1] > kMaxVisionPositions) {
    problems.add("tensor '{}': expected three dimensions, the middle at most {}, found {}",
                 kPositionTensor, kMaxVisionPositions, to_string(info->shape));
    return 1;
  }
  return static_cast<int>(info->shape[1]);
}

/// A key of our own projector files.
int gguf_budget(const Keys& keys, ProblemList& problems) {
  const int budget =
      keys.integer("soft_tokens_per_image", 1, kPictureBudgets.back(), kUsualPictureBudget);
  if (std::ranges::find(kPictureBudgets, budget) == kPictureBudgets.end()) {
    problems.add("metadata key 'clip.vision.soft_tokens_per_image': expected {}, found {}",
                 picture_budgets_text(), budget);
  }
  return budget;
}

}  // namespace

bool has_vision_tower(const gguf::File& file) { return file.find_tensor(kPatchTensor) != nullptr; }

VisionConfig vision_config_from_gguf(const gguf::File& file, const Config& text,
                                     ProblemList& problems) {
  const bool combined = file.metadata().contains(fmt::format("{}.block_count", kCombinedKeys));
  const VisionKind kind = combined ? VisionKind::tower : projector_kind(file, problems);
  const Keys keys(file.metadata(), combined ? kCombinedKeys : kClipKeys, problems);
  VisionConfig config;
  config.kind = kind;
  config.patch_order = PatchOrder::channels;
  config.hidden_dim = keys.integer("embedding_length", 1, kMaxModelDim);
  config.patch_size = keys.integer("patch_size", 1, kMaxPatchSize, 16);
  config.pooling = keys.integer("projector.scale_factor", 1, kMaxPooling, 3);
  config.rms_norm_eps =
      static_cast<float>(keys.number("attention.layer_norm_epsilon", 1e-12, 1.0, 1e-6));
  config.default_budget = gguf_budget(keys, problems);
  config.position_table_size = position_table_size(file, problems);
  config.model_dim = projection_dim(keys, kClipKeys, text, problems);
  if (kind == VisionKind::embedder) {
    // The keys of layers are there for readers that ask for them, and mean nothing.
    config.patch_size *= config.pooling;
    config.pooling = 1;
    return config;
  }
  config.ffn_dim = keys.integer("feed_forward_length", 1, kMaxFfnDim);
  config.n_layers = keys.integer("block_count", 1, kMaxLayers);
  config.n_heads = keys.integer("attention.head_count", 1, kMaxHeads);
  config.clipped_linears =
      file.find_tensor(kClampData) != nullptr || has_clip_bounds(file, "v.blk.");
  config.standardize = file.find_tensor("v.std_bias") != nullptr;
  if (config.hidden_dim % config.n_heads != 0) {
    problems.add("{} heads do not divide the tower's width of {}", config.n_heads,
                 config.hidden_dim);
  }
  config.head_dim = std::max(config.hidden_dim / config.n_heads, 1);
  check_vision_config(config, problems);
  return config;
}

MediaTokens media_tokens_from_gguf(const gguf::File& file) {
  const auto tokens = tokens_spelled(file, {"<|image>", "<|image|>", "<image|>", "<|video|>"});
  return {tokens[0], tokens[1], tokens[2], tokens[3]};
}

std::string tower_problem(const VisionConfig& config) {
  constexpr int kSoftTokenSide = 48;  // pixels: what pictures are resized to multiples of
  const int side = config.patch_size * config.pooling;
  if (side == kSoftTokenSide) return {};
  return fmt::format(
      "has a vision tower whose soft tokens stand for {0} x {0} pixels ({1} x {1} patches of {2} x "
      "{2}): expected {3} x {3}",
      side, config.pooling, config.patch_size, kSoftTokenSide);
}

void check_vision_config(const VisionConfig& config, ProblemList& problems) {
  // Each half of a head turns with one axis, in pairs.
  if (config.head_dim % 4 != 0) {
    problems.add("the vision tower's heads have {} dimensions, which is no multiple of 4",
                 config.head_dim);
  }
  if (std::int64_t{config.n_heads} * config.head_dim > kMaxModelDim * 4) {
    problems.add("the vision tower's {} heads of {} dimensions are too many", config.n_heads,
                 config.head_dim);
  }
}

}  // namespace pleiad::gemma4
