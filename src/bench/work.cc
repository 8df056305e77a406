#include "bench/work.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

namespace pleiad::bench {
namespace {

constexpr std::string_view kLayerPrefix = "layers.";

/// The layer that a tensor belongs to, and its name within; -1: to none.
std::pair<int, std::string_view> place_of(std::string_view name) {
  if (!name.starts_with(kLayerPrefix)) return {-1, name};
  const std::string_view rest = name.substr(kLayerPrefix.size());
  int index = -1;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), index);
  const auto digits = static_cast<std::size_t>(end - rest.data());
  return {index, rest.substr(std::min(rest.size(), digits + 1))};
}

bool is_expert(std::string_view name_in_layer) { return name_in_layer.starts_with("experts."); }

/// A table of which a token reads one row.
bool is_gathered(const gemma4::Config& config, std::string_view name) {
  return name == "per_layer.embedding" || (name == "embedding" && !config.tied_head);
}

double experts_used(const gemma4::Config& config) {
  if (!config.experts) return 0;
  return static_cast<double>(config.experts->n_experts_used) / config.experts->n_experts;
}

}  // namespace

std::vector<TensorSize> tensor_sizes(const Checkpoint& checkpoint,
                                     const std::optional<gemma4::OnlineOptions>& online) {
  std::vector<TensorSize> sizes;
  checkpoint.for_each([&](std::string_view name, const HostTensor& tensor) {
    sizes.push_back(
        {std::string(name), tensor.shape, gemma4::loaded_bytes(checkpoint, name, online)});
  });
  return sizes;
}

WorkCounter::WorkCounter(gemma4::Config config, std::span<const TensorSize> tensors)
    : config_(std::move(config)) {
  for (int index = 0; index < config_.n_layers(); ++index) {
    if (config_.layers[static_cast<std::size_t>(index)].owns_kv(index)) last_kv_owner_ = index;
  }
  for (const TensorSize& tensor : tensors) {
    const auto bytes = static_cast<double>(tensor.bytes);
    if (is_gathered(config_, tensor.name)) {
      row_bytes_ += bytes / static_cast<double>(tensor.shape.front());
      continue;
    }
    (is_expert(place_of(tensor.name).second) ? expert_bytes_ : dense_bytes_) += bytes;
    add_operations(tensor);
  }
}

void WorkCounter::add_operations(const TensorSize& tensor) {
  if (tensor.shape.size() < 2) return;  // norms and other factors
  const auto [layer, name] = place_of(tensor.name);
  const double weights = static_cast<double>(element_count(tensor.shape)) *
                         (is_expert(name) ? experts_used(config_) : 1);
  all_weights_ += weights;
  const bool writes_kv = name == "attention.k_proj" || name == "attention.v_proj";
  if (layer >= 0 && (layer < last_kv_owner_ || (layer == last_kv_owner_ && writes_kv))) {
    prompt_weights_ += weights;
  } else if (name == "per_layer.projection") {
    prompt_weights_ += weights * last_kv_owner_ / config_.n_layers();
  }
}

double WorkCounter::weight_bytes(std::int64_t n_tokens) const {
  const double unused = std::pow(1 - experts_used(config_), static_cast<double>(n_tokens));
  return dense_bytes_ + static_cast<double>(n_tokens) * row_bytes_ + expert_bytes_ * (1 - unused);
}

std::int64_t WorkCounter::reach(const gemma4::LayerConfig& layer, std::int64_t n) const {
  const bool slides = layer.attention == gemma4::AttentionKind::sliding;
  return slides ? std::min<std::int64_t>(n, config_.sliding_window) : n;
}

double WorkCounter::kv_bytes(const gemma4::LayerConfig& layer, std::int64_t n, KvType type) const {
  const KvType stored = kv_type_of(type, layer.attention == gemma4::AttentionKind::sliding);
  return static_cast<double>(reach(layer, n)) * 2 * layer.n_kv_heads *
         static_cast<double>(::pleiad::kv_bytes(stored, static_cast<std::size_t>(layer.head_dim)));
}

double WorkCounter::attention_operations(const gemma4::LayerConfig& layer, std::int64_t n) const {
  return 4.0 * config_.n_heads * layer.head_dim * static_cast<double>(reach(layer, n));
}

Work WorkCounter::generation(std::int64_t depth, std::int64_t n_tokens, std::int64_t n_sequences,
                             KvType type) const {
  const auto sequences = static_cast<double>(n_sequences);
  Work work;
  work.bytes = static_cast<double>(n_tokens) * weight_bytes(n_sequences);
  work.operations = static_cast<double>(n_tokens) * sequences * 2 * all_weights_;
  for (const gemma4::LayerConfig& layer : config_.layers) {
    for (std::int64_t n = depth + 1; n <= depth + n_tokens; ++n) {
      work.bytes += sequences * kv_bytes(layer, n, type);
      work.operations += sequences * attention_operations(layer, n);
    }
  }
  return work;
}

Work WorkCounter::prompt(std::int64_t depth, std::int64_t n_tokens, KvType type) const {
  const auto rows = static_cast<double>(n_tokens);
  Work work;
  work.bytes = weight_bytes(n_tokens);
  work.operations = 2 * ((rows - 1) * prompt_weights_ + all_weights_);
  for (int index = 0; index < config_.n_layers(); ++index) {
    const gemma4::LayerConfig& layer = config_.layers[static_cast<std::size_t>(index)];
    work.bytes += kv_bytes(layer, depth + n_tokens, type);
    const std::int64_t first = index < last_kv_owner_ ? depth + 1 : depth + n_tokens;
    for (std::int64_t n = first; n <= depth + n_tokens; ++n) {
      work.operations += attention_operations(layer, n);
    }
  }
  return work;
}

}  // namespace pleiad::bench
