#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/mapped_file.h"
#include "model/gemma4/vision/config_load.h"
#include "model/gemma4/vision/tower.h"
#include "tensor/decode.h"

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

/// Takes the tower's tensors to the backend one by one, and gives the file's pages back that
/// nobody reads any more.
class VisionTower::Loader {
 public:
  Loader(const Checkpoint& checkpoint, Backend& backend, LoadProgress progress)
      : checkpoint_(checkpoint), backend_(backend), progress_(std::move(progress)) {}

  Weight vector(std::string_view name) { return upload(name, WeightUse::vector); }
  Weight matrix(std::string_view name) { return upload(name, WeightUse::matrix); }

  ClippedLinear clipped(const std::string& name) {
    return {matrix(name), bounds(name + ".input"), bounds(name + ".output")};
  }

  std::vector<float> values(std::string_view name) const {
    const HostTensor* tensor = checkpoint_.find_vision(name);
    if (tensor == nullptr) return {};
    std::vector<float> values(static_cast<std::size_t>(element_count(tensor->shape)));
    decode_row(*tensor, 0, values.data());
    return values;
  }

 private:
  ClipBounds bounds(const std::string& side) const {
    ClipBounds bounds;
    if (const auto low = values(side + "_min"); !low.empty()) bounds.low = low[0];
    if (const auto high = values(side + "_max"); !high.empty()) bounds.high = high[0];
    return bounds;
  }

  Weight upload(std::string_view name, WeightUse use) {
    const HostTensor* tensor = checkpoint_.find_vision(name);
    CHECK(tensor != nullptr, "tensor {}", name);
    prefetch_pages(tensor->data);
    checkpoint_.check_vision_unchanged();
    Weight weight = backend_.upload(*tensor, use);
    if (!weight.reads_file()) checkpoint_.drop_pages(*tensor);
    done_ += tensor->data.size();
    if (progress_) progress_(done_, checkpoint_.vision_tensor_bytes());
    return weight;
  }

  const Checkpoint& checkpoint_;
  Backend& backend_;
  LoadProgress progress_;
  std::uint64_t done_ = 0;
};

VisionTower::VisionTower(const Checkpoint& checkpoint, Backend& backend,
                         const VisionOptions& options, const LoadProgress& progress)
    : checkpoint_(checkpoint), config_(*checkpoint.vision()), backend_(backend), options_(options) {
  info_.model_dim = config_.model_dim;
  info_.default_budget = config_.default_budget;
  info_.patch_size = config_.patch_size;
  info_.pooling = config_.pooling;
  info_.max_patches_on_a_side = config_.position_table_size;
  frequencies_ = axis_frequencies(config_);
  if (const std::string problem = tower_problem(config_); !problem.empty()) {
    throw LoadError("{} {}", checkpoint.config().name, problem);
  }
  loader_ = std::make_unique<Loader>(checkpoint, backend, progress);
  while (!options.load_on_the_way && load_next_part()) {
  }
  allocate_workspace();
  // Of the table of positions a picture's own rows are read from the file.
  const HostTensor& positions = *checkpoint.find_vision("vision.position_embedding");
  checkpoint.advise_random(positions);
  info_.weight_bytes =
      checkpoint.vision_tensor_bytes() - positions.data.size() + work_.memory->size();
}

VisionTower::~VisionTower() = default;

bool VisionTower::load_next_part() {
  if (!loader_) return false;
  try {
    if (!projector_) {
      load_ends();
    } else {
      load_layer(static_cast<int>(layers_.size()));
    }
    checkpoint_.check_vision_unchanged();
  } catch (...) {
    checkpoint_.check_vision_unchanged();  // whatever else was found then comes of it
    throw;
  }
  if (std::ssize(layers_) == config_.n_layers) loader_.reset();
  return true;
}

void VisionTower::load_ends() {
  patch_embedding_ = loader_->matrix("vision.patch_embedding");
  std_bias_ = loader_->values("vision.std_bias");
  std_scale_ = loader_->values("vision.std_scale");
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
  struct Part {
    Tensor* tensor;
    std::int64_t cols;
  };
  const std::vector<Part> parts = {
      {&work_.patches, config_.patch_values()},
      {&work_.normed, config_.hidden_dim},
      {&work_.branch, config_.hidden_dim},
      {&work_.key, head_cols},
      {&work_.value, head_cols},
      {&work_.attended, head_cols},
      {&work_.clipped, config_.clipped_linears ? widest : 0},
      {&work_.gate, config_.ffn_dim},
      {&work_.up, config_.ffn_dim},
      {&work_.soft, config_.model_dim},
  };
  constexpr std::int64_t kAlign = 16;  // floats: every tensor starts on a cache line
  const auto padded = [&](const Part& part) {
    return (rows * part.cols + kAlign - 1) / kAlign * kAlign;
  };
  std::int64_t total = 0;
  for (const Part& part : parts) total += padded(part);
  work_.memory = backend_.allocate(static_cast<std::size_t>(total) * sizeof(float));
  auto* next = reinterpret_cast<float*>(work_.memory->data());
  for (const Part& part : parts) {
    *part.tensor = Tensor(next, rows, part.cols);
    next += padded(part);
  }
  const std::int64_t host_cols =
      std::max({std::int64_t{config_.patch_values()}, std::int64_t{config_.hidden_dim}});
  host_.resize(static_cast<std::size_t>(rows * host_cols));
}

}  // namespace pleiad::gemma4
