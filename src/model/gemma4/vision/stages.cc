// The stages of a picture's way through the tower, each over all patches, and what a row of each
// costs.

#include <array>

#include "model/gemma4/tensor_room.h"
#include "model/gemma4/vision/encoding.h"

namespace pleiad::gemma4 {
namespace {

std::int64_t head_columns(const VisionConfig& config) {
  return std::int64_t{config.n_heads} * config.head_dim;
}

}  // namespace

EncoderKvLayout VisionTower::kv_layout(std::int64_t n_patches) const {
  return {options_.kv_type, config_.n_heads, config_.head_dim, n_patches};
}

std::uint64_t VisionTower::encoding_bytes(std::int64_t n_patches) const {
  const std::int64_t square = std::int64_t{config_.pooling} * config_.pooling;
  // A picture of this size may be one soft token high.
  const std::int64_t most_positions = n_patches / config_.pooling + config_.pooling;
  return tensor_room(most_positions, config_.hidden_dim) +
         tensor_room(n_patches, config_.hidden_dim) +
         tensor_room(n_patches, head_columns(config_)) + tensor_room(n_patches, config_.head_dim) +
         backend_.encoder_kv_bytes(kv_layout(n_patches)) +
         tensor_room(n_patches / square, config_.model_dim);
}

std::unique_ptr<MediaEncoding> VisionTower::begin(const PictureInput& picture) {
  auto encoding = std::make_unique<TowerEncoding>(*this, picture);
  source_.check_unchanged();  // rows of the position table were read
  return encoding;
}

TowerEncoding::TowerEncoding(VisionTower& tower, const PictureInput& picture)
    : StagedEncoding(tower.source_, tower.backend_, tower.options_.max_rows),
      tower_(tower),
      config_(tower.config_),
      picture_(picture),
      grid_(patch_grid(picture, config_)),
      positions_(source_.get("vision.position_embedding"), config_, grid_) {
  const std::int64_t n = grid_.count();
  kv_.layout = tower_.kv_layout(n);
  backend_.reserve_encoder_attention(kv_.layout);
  const std::array<TensorPart, 3> parts = {{
      {&residual_, n, config_.hidden_dim},
      {&query_, n, head_columns(config_)},
      {&rope_, n, config_.head_dim},
  }};
  memory_ = allocate_tensors(backend_, parts, Taken::when_written);
  kv_memory_ = backend_.allocate(backend_.encoder_kv_bytes(kv_.layout), Taken::when_written);
  kv_.memory = kv_memory_->data();
  const std::int64_t n_soft = n / (std::int64_t{config_.pooling} * config_.pooling);
  plan(n_soft * config_.model_dim, operations(), operations_per_row(Stage::feed_forward));
}

void TowerEncoding::run_stage(std::int64_t first, std::int64_t n) {
  switch (stage_) {
    case Stage::embed:
      return embed_patches(first, n);
    case Stage::project:
      return project_queries_keys_values(first, n);
    case Stage::attend:
      return attend(first, n);
    case Stage::feed_forward:
      return feed_forward(first, n);
    case Stage::pool:
      return pool_and_project(first, n);
  }
}

bool TowerEncoding::next_stage() {
  switch (stage_) {
    case Stage::embed:
      stage_ = Stage::project;
      return true;
    case Stage::project:
      stage_ = Stage::attend;
      return true;
    case Stage::attend:
      if (layer_ + 1 == config_.n_layers) kv_memory_.reset();
      stage_ = Stage::feed_forward;
      return true;
    case Stage::feed_forward:
      stage_ = ++layer_ < config_.n_layers ? Stage::project : Stage::pool;
      return true;
    case Stage::pool:
      break;
  }
  memory_.reset();
  return false;
}

std::int64_t TowerEncoding::rows_of_stage() const {
  const std::int64_t square = std::int64_t{config_.pooling} * config_.pooling;
  return stage_ == Stage::pool ? grid_.count() / square : grid_.count();
}

double TowerEncoding::operations_per_row(Stage stage) const {
  const auto hidden = static_cast<double>(config_.hidden_dim);
  const auto heads = static_cast<double>(head_columns(config_));
  switch (stage) {
    case Stage::embed:
      return 2.0 * hidden * config_.patch_values();
    case Stage::project:
      return 6.0 * hidden * heads;
    case Stage::attend:
      return 4.0 * heads * static_cast<double>(grid_.count()) + 2.0 * hidden * heads;
    case Stage::feed_forward:
      return 6.0 * hidden * config_.ffn_dim;
    case Stage::pool:
      break;
  }
  return 2.0 * hidden * config_.model_dim;
}

double TowerEncoding::operations() const {
  const auto n = static_cast<double>(grid_.count());
  const double layer = operations_per_row(Stage::project) + operations_per_row(Stage::attend) +
                       operations_per_row(Stage::feed_forward);
  return n * (operations_per_row(Stage::embed) + config_.n_layers * layer) +
         n / (config_.pooling * config_.pooling) * operations_per_row(Stage::pool);
}

}  // namespace pleiad::gemma4
