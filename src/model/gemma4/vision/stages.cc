// How a picture's way through the tower is cut into calls: stages over all patches, chunks of
// rows within a stage. No bit depends on it.

#include <algorithm>

#include "base/check.h"
#include "base/round_up.h"
#include "model/gemma4/vision/encoding.h"

namespace pleiad::gemma4 {
namespace {

// Kernels take rows in blocks: fewer cost as much.
constexpr std::int64_t kRowBlock = 32;

std::int64_t head_columns(const VisionConfig& config) {
  return std::int64_t{config.n_heads} * config.head_dim;
}

/// Bytes of [rows, cols], so that what follows begins on a cache line.
std::size_t tensor_room(std::int64_t rows, std::int64_t cols) {
  return static_cast<std::size_t>(rounded_up(rows * cols, 16)) * sizeof(float);
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
         static_cast<std::uint64_t>(n_patches) *
             static_cast<std::uint64_t>(config_.patch_values()) +
         tensor_room(n_patches / square, config_.model_dim);
}

std::unique_ptr<MediaEncoding> VisionTower::begin(const PictureInput& picture) {
  auto encoding = std::make_unique<TowerEncoding>(*this, picture);
  checkpoint_.check_vision_unchanged();  // rows of the position table were read
  return encoding;
}

TowerEncoding::TowerEncoding(VisionTower& tower, const PictureInput& picture)
    : tower_(tower),
      config_(tower.config_),
      backend_(tower.backend_),
      picture_(picture),
      grid_(patch_grid(picture, config_)),
      positions_(*tower.checkpoint_.find_vision("vision.position_embedding"), config_, grid_) {
  const std::int64_t n = grid_.count();
  const std::int64_t head_cols = head_columns(config_);
  kv_.layout = tower_.kv_layout(n);
  backend_.reserve_encoder_attention(kv_.layout);
  memory_ = backend_.allocate(tensor_room(n, config_.hidden_dim) + tensor_room(n, head_cols) +
                              tensor_room(n, config_.head_dim));
  kv_memory_ = backend_.allocate(backend_.encoder_kv_bytes(kv_.layout));
  kv_.memory = kv_memory_->data();
  std::byte* next = memory_->data();
  const auto take = [&](std::int64_t cols) {
    const Tensor tensor(reinterpret_cast<float*>(next), n, cols);
    next += tensor_room(n, cols);
    return tensor;
  };
  residual_ = take(config_.hidden_dim);
  query_ = take(head_cols);
  rope_ = take(config_.head_dim);
  std::vector<std::int32_t> xs;
  std::vector<std::int32_t> ys;
  for (std::int64_t patch = 0; patch < n; ++patch) {
    xs.push_back(grid_.x(patch));
    ys.push_back(grid_.y(patch));
  }
  backend_.rope_table_2d(rope_, xs, ys, tower_.frequencies_);
  const std::int64_t n_soft = n / (std::int64_t{config_.pooling} * config_.pooling);
  soft_tokens_.resize(static_cast<std::size_t>(n_soft * config_.model_dim));
  operations_in_all_ = operations();
}

bool TowerEncoding::advance(std::int64_t rows) {
  if (tower_.load_next_part()) return false;
  if (stage_ == Stage::done) return true;
  // Rows are counted as a feed-forward's: where one costs more, fewer are computed.
  const double share = operations_per_row(Stage::feed_forward) / operations_per_row(stage_);
  const auto most = static_cast<double>(tower_.options_.max_rows);
  const auto wanted =
      static_cast<std::int64_t>(std::min(std::max(static_cast<double>(rows) * share, 1.0), most));
  const std::int64_t chunk =
      std::min<std::int64_t>(rounded_up(wanted, kRowBlock), tower_.options_.max_rows);
  const std::int64_t n = std::min(chunk, rows_of_stage() - next_row_);
  run_stage(next_row_, n);
  operations_done_ += static_cast<double>(n) * operations_per_row(stage_);
  next_row_ += n;
  if (next_row_ == rows_of_stage()) next_stage();
  // Weights without a packed form are read from the file.
  tower_.checkpoint_.check_vision_unchanged();
  return stage_ == Stage::done;
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
    case Stage::done:
      return;
  }
}

void TowerEncoding::next_stage() {
  next_row_ = 0;
  switch (stage_) {
    case Stage::embed:
      picture_.rgb = {};
      stage_ = Stage::project;
      return;
    case Stage::project:
      stage_ = Stage::attend;
      return;
    case Stage::attend:
      stage_ = Stage::feed_forward;
      return;
    case Stage::feed_forward:
      stage_ = ++layer_ < config_.n_layers ? Stage::project : Stage::pool;
      return;
    case Stage::pool:
      memory_.reset();
      kv_memory_.reset();
      stage_ = Stage::done;
      return;
    case Stage::done:
      return;
  }
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
      return 2.0 * hidden * config_.model_dim;
    case Stage::done:
      break;
  }
  return 1.0;
}

double TowerEncoding::operations() const {
  const auto n = static_cast<double>(grid_.count());
  const double layer = operations_per_row(Stage::project) + operations_per_row(Stage::attend) +
                       operations_per_row(Stage::feed_forward);
  return n * (operations_per_row(Stage::embed) + config_.n_layers * layer) +
         n / (config_.pooling * config_.pooling) * operations_per_row(Stage::pool);
}

double TowerEncoding::progress() const {
  return stage_ == Stage::done ? 1.0 : operations_done_ / operations_in_all_;
}

std::vector<float> TowerEncoding::take() {
  CHECK(stage_ == Stage::done, "an encoding that is not done");
  return std::move(soft_tokens_);
}

}  // namespace pleiad::gemma4
