#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/mapped_file.h"
#include "model/gemma4/tensor_room.h"
#include "model/gemma4/vision/config_load.h"
#include "model/gemma4/vision/tower.h"

namespace pleiad::gemma4 {
namespace {

/// theta^(-4i/head_dim), rounded where the reference rounds: half a head turns with each axis.
std::vector<float> axis_frequencies(const VisionConfig& config) {
  std::vector<float> frequencies;
  const auto half = static_cast<float>(config.head_dim / 2);
  for (int pair = 0; pair < config.head_dim / 4; ++pair) {
    const float exponent = static_cast<float>(2 * pair) / half;
    frequencies.push_back(1.0F / std::pow(static_cast<float>(config.rope_theta), exponent));
  }
  return frequencies;
}

}  // namespace

VisionEncoderInfo vision_encoder_info(const Checkpoint& checkpoint) {
  const VisionConfig& config = *checkpoint.vision();
  if (const std::string problem = tower_problem(config); !problem.empty()) {
    throw LoadError("{} {}", checkpoint.config().name, problem);
  }
  VisionEncoderInfo info;
  info.model_dim = config.model_dim;
  info.default_budget = config.default_budget;
  info.patch_size = config.patch_size;
  info.pooling = config.pooling;
  info.max_patches_on_a_side = config.position_table_size;
  return info;
}

VisionTower::VisionTower(const Checkpoint& checkpoint, Backend& backend,
                         const VisionOptions& options, const LoadProgress& progress)
    : source_(checkpoint, EncoderKind::vision),
      config_(*checkpoint.vision()),
      backend_(backend),
      options_(options),
      info_(vision_encoder_info(checkpoint)),
      loader_(std::make_unique<EncoderLoader>(source_, backend, progress)),
      frequencies_(axis_frequencies(config_)) {
  while (!options.load_on_the_way && load_next_part()) {
  }
  allocate_workspace();
  // Of the table of positions a picture's own rows are read from the file.
  const HostTensor& positions = source_.get("vision.position_embedding");
  checkpoint.advise_random(positions);
  info_.weight_bytes = source_.tensor_bytes() - positions.data.size() + work_.memory->size();
}

bool VisionTower::load_next_part() {
  if (!loader_) return false;
  read_unchanged(source_, [&] {
    if (!projector_) {
      load_ends();
    } else {
      load_layer(static_cast<int>(layers_.size()));
    }
  });
  if (std::ssize(layers_) == config_.n_layers) loader_.reset();
  return true;
}

void VisionTower::load_ends() {
  patch_embedding_ = loader_->matrix("vision.patch_embedding");
  std_bias_ = loader_->find_values("vision.std_bias");
  std_scale_ = loader_->find_values("vision.std_scale");
  projector_ = loader_->matrix("vision.projector");
}

void VisionTower::load_layer(int index) {
  const std::string prefix = fmt::format("vision.layers.{}.", index);
  VisionLayer layer;
  layer.attention_norm = loader_->vector(prefix + "attention_norm");
  layer.q_proj = loader_->clipped(prefix + "attention.q_proj");
  layer.k_proj = loader_->clipped(prefix + "attention.k_proj");
  layer.v_proj = loader_->clipped(prefix + "attention.v_proj");
  layer.q_norm = loader_->vector(prefix + "attention.q_norm");
  layer.k_norm = loader_->vector(prefix + "attention.k_norm");
  layer.o_proj = loader_->clipped(prefix + "attention.o_proj");
  layer.post_attention_norm = loader_->vector(prefix + "post_attention_norm");
  layer.ffn_norm = loader_->vector(prefix + "ffn_norm");
  layer.gate_proj = loader_->clipped(prefix + "ffn.gate_proj");
  layer.up_proj = loader_->clipped(prefix + "ffn.up_proj");
  layer.down_proj = loader_->clipped(prefix + "ffn.down_proj");
  layer.post_ffn_norm = loader_->vector(prefix + "post_ffn_norm");
  layers_.push_back(std::move(layer));
}

void VisionTower::allocate_workspace() {
  const std::int64_t rows = options_.max_rows;
  const std::int64_t head_cols = std::int64_t{config_.n_heads} * config_.head_dim;
  const std::int64_t widest =
      std::max<std::int64_t>({config_.hidden_dim, head_cols, config_.ffn_dim});
  const std::vector<TensorPart> parts = {
      {&work_.patches, rows, config_.patch_values()},
      {&work_.normed, rows, config_.hidden_dim},
      {&work_.branch, rows, config_.hidden_dim},
      {&work_.key, rows, head_cols},
      {&work_.value, rows, head_cols},
      {&work_.attended, rows, head_cols},
      {&work_.clipped, rows, config_.clipped_linears ? widest : 0},
      {&work_.gate, rows, config_.ffn_dim},
      {&work_.up, rows, config_.ffn_dim},
      {&work_.soft, rows, config_.model_dim},
  };
  work_.memory = allocate_tensors(backend_, parts, Taken::when_written);
  const std::int64_t host_cols = std::max(config_.patch_values(), config_.hidden_dim);
  host_.resize(static_cast<std::size_t>(rows * host_cols));
}

}  // namespace pleiad::gemma4
