#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "base/mapped_file.h"
#include "model/gemma4/gemma4.h"
#include "model/gemma4/online.h"
#include "model/gemma4/tensor_room.h"
#include "tensor/decode.h"

namespace pleiad::gemma4 {
namespace {

/// theta^(-2i/head_dim) in single precision, rounded where the reference rounds.
std::vector<float> rope_frequencies(const RopeConfig& rope, int head_dim) {
  std::vector<float> frequencies;
  for (int pair = 0; pair < rope.n_rotated_pairs; ++pair) {
    const float exponent = static_cast<float>(2 * pair) / static_cast<float>(head_dim);
    frequencies.push_back(1.0F / std::pow(static_cast<float>(rope.theta), exponent));
  }
  return frequencies;
}

int head_dim_of(const Config& config, AttentionKind kind) {
  for (const LayerConfig& layer : config.layers) {
    if (layer.attention == kind) return layer.head_dim;
  }
  return 0;
}

HostTensor as_host_tensor(const std::string& name, const std::vector<float>& values) {
  HostTensor tensor;
  tensor.name = name;
  tensor.shape = {static_cast<std::int64_t>(values.size())};
  tensor.data = std::as_bytes(std::span(values));
  return tensor;
}

}  // namespace

Gemma4::Gemma4(const Checkpoint& checkpoint, Backend& backend, const ModelOptions& options,
               const LoadProgress& progress)
    : checkpoint_(checkpoint), config_(checkpoint.config()), backend_(backend), options_(options) {
  info_.name = config_.name;
  info_.vocab_size = config_.vocab_size;
  info_.context_length = config_.context_length;
  info_.max_rows = options.max_rows;
  info_.max_logit_rows = options.max_logit_rows;
  info_.n_layers = config_.n_layers();
  info_.model_dim = config_.model_dim;
  info_.bidirectional_blocks = config_.bidirectional_blocks;
  info_.blocks_on_all_layers = config_.blocks_on_all_layers;
  sliding_frequencies_ =
      rope_frequencies(config_.sliding_rope, head_dim_of(config_, AttentionKind::sliding));
  full_frequencies_ =
      rope_frequencies(config_.full_rope, head_dim_of(config_, AttentionKind::full));
  read_unchanged(checkpoint, [&] { load(checkpoint, progress); });
  allocate_workspace();
}

/// Takes the checkpoint's tensors to the backend one by one, and gives the file's
/// pages back that nobody reads any more.
class Gemma4::Loader {
 public:
  Loader(const Checkpoint& checkpoint, Backend& backend, const ModelOptions& options,
         std::vector<EncodedTensor>& encoded, const LoadProgress& progress)
      : checkpoint_(checkpoint), backend_(backend), encoded_(encoded), progress_(progress) {
    if (options.online && quantizes_online(checkpoint, *options.online)) online_ = options.online;
    checkpoint.for_each([&](std::string_view name, const HostTensor& tensor) {
      if (name != kPerLayerTable) total_ += tensor.data.size();
    });
  }

  Weight vector(const std::string& name) { return upload(name, WeightUse::vector); }
  Weight matrix(const std::string& name) { return upload(name, WeightUse::matrix); }

  /// Nothing where the checkpoint has no such tensor.
  Weight find(const std::string& name, WeightUse use) {
    return checkpoint_.find(name) ? upload(name, use) : Weight();
  }

  Weight upload(const std::string& name, WeightUse use) {
    const HostTensor& tensor = checkpoint_.get(name);
    if (use == WeightUse::matrix && online_) {
      if (const auto type = online_type(checkpoint_, name, *online_)) return encode(tensor, *type);
    }
    read(tensor.data);
    return take(tensor, use);
  }

  /// Rows [0, cut) of a matrix and the rest as weights apart; one without rows is absent.
  std::pair<Weight, Weight> divided_matrix(const std::string& name, std::int64_t cut) {
    const HostTensor& tensor = checkpoint_.get(name);
    read(tensor.data);
    const auto part = [&](std::int64_t first, std::int64_t last) {
      return first < last ? take(row_range(tensor, first, last - first), WeightUse::matrix)
                          : Weight();
    };
    return {part(0, cut), part(cut, tensor.rows())};
  }

  /// The head, if it is quantized apart from the table that it is tied to.
  Weight online_head() {
    if (!online_) return {};
    const auto type = online_type(checkpoint_, "embedding", *online_);
    return type ? encode(checkpoint_.get("embedding"), *type) : Weight();
  }

  /// The table beside such a head: read already, and from now on row by row.
  Weight table_of_online_head() {
    const HostTensor& table = checkpoint_.get("embedding");
    checkpoint_.advise_random(table);
    return backend_.upload(table, WeightUse::table);
  }

  /// The table of token embeddings, which may be the head as well.
  Weight embedding(WeightUse use) {
    Weight weight = upload("embedding", use);
    const bool only_rows = use == WeightUse::table || !weight.reads_file();
    if (only_rows) checkpoint_.advise_random(checkpoint_.get("embedding"));
    return weight;
  }

  /// The table of per-layer embeddings: rows are read from the file as tokens
  /// come. It is the largest tensor of the small models and never belongs in
  /// memory whole.
  Weight per_layer_table() {
    const HostTensor& table = checkpoint_.get(kPerLayerTable);
    checkpoint_.advise_random(table);
    return backend_.upload(table, WeightUse::table);
  }

  std::vector<float> values(const std::string& name) {
    return decode_tensor(checkpoint_.get(name));
  }

 private:
  static constexpr const char* kPerLayerTable = "per_layer.embedding";

  Weight take(const HostTensor& tensor, WeightUse use) {
    Weight weight = backend_.upload(tensor, use);
    if (!weight.reads_file()) checkpoint_.drop_pages(tensor);
    return weight;
  }

  /// Encoded bytes that the backend reads in place stay as long as the model.
  Weight encode(const HostTensor& tensor, DType type) {
    EncodedTensor encoded = encode_tensor(
        tensor, type, online_->n_threads, [&](std::span<const std::byte> piece) { read(piece); },
        [&](const HostTensor& piece) { checkpoint_.drop_pages(piece); });
    Weight weight = backend_.upload(encoded.tensor, WeightUse::matrix);
    if (weight.reads_file()) encoded_.push_back(std::move(encoded));
    return weight;
  }

  // From the disk, with progress, before anybody goes over it.
  void read(std::span<const std::byte> data) {
    constexpr std::size_t kPiece = std::size_t{64} << 20;
    for (std::size_t at = 0; at < data.size(); at += kPiece) {
      const auto piece = data.subspan(at, std::min(kPiece, data.size() - at));
      prefetch_pages(piece);
      checkpoint_.check_unchanged();
      done_ += piece.size();
      if (progress_) progress_(done_, total_);
    }
  }

  const Checkpoint& checkpoint_;
  Backend& backend_;
  std::optional<OnlineOptions> online_;
  std::vector<EncodedTensor>& encoded_;
  const LoadProgress& progress_;
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
};

void Gemma4::load(const Checkpoint& checkpoint, const LoadProgress& progress) {
  Loader loader(checkpoint, backend_, options_, encoded_, progress);
  untied_head_ = loader.find("head", WeightUse::matrix);
  if (untied_head_) {
    embedding_ = loader.embedding(WeightUse::table);
  } else if ((untied_head_ = loader.online_head())) {
    embedding_ = loader.table_of_online_head();
  } else {
    embedding_ = loader.embedding(WeightUse::matrix_table);
  }
  final_norm_ = loader.vector("final_norm");
  for (int index = 0; index < config_.n_layers(); ++index) {
    if (config_.layers[static_cast<std::size_t>(index)].owns_kv(index)) last_kv_owner_ = index;
  }
  if (config_.per_layer_dim > 0) {
    per_layer_embedding_ = loader.per_layer_table();
    per_layer_block_ = traits(checkpoint.get("per_layer.embedding").dtype).block_size;
    std::tie(early_per_layer_projection_, late_per_layer_projection_) = loader.divided_matrix(
        "per_layer.projection", std::int64_t{last_kv_owner_} * config_.per_layer_dim);
    per_layer_norm_ = loader.vector("per_layer.projection_norm");
  }
  layers_.resize(static_cast<std::size_t>(config_.n_layers()));
  std::vector<std::size_t> owner_index(layers_.size(), 0);
  std::size_t n_owners = 0;
  for (int index = 0; index < config_.n_layers(); ++index) {
    Layer& layer = layers_[static_cast<std::size_t>(index)];
    layer.config = config_.layers[static_cast<std::size_t>(index)];
    if (layer.config.owns_kv(index)) owner_index[static_cast<std::size_t>(index)] = n_owners++;
    layer.kv_index = owner_index[static_cast<std::size_t>(layer.config.kv_layer)];
    load_layer(loader, index);
  }
}

void Gemma4::load_layer(Loader& loader, int index) {
  Layer& layer = layers_[static_cast<std::size_t>(index)];
  const std::string prefix = fmt::format("layers.{}.", index);
  const auto vector = [&](std::string_view name) {
    return loader.vector(fmt::format("{}{}", prefix, name));
  };
  const auto matrix = [&](std::string_view name) {
    return loader.matrix(fmt::format("{}{}", prefix, name));
  };
  backend_.reserve_attention(config_.n_heads, layer.config.head_dim);
  layer.attention_norm = vector("attention_norm");
  layer.q_proj = matrix("attention.q_proj");
  layer.q_norm = vector("attention.q_norm");
  if (layer.config.owns_kv(index)) {
    layer.k_proj = matrix("attention.k_proj");
    layer.k_norm = vector("attention.k_norm");
    if (!layer.config.value_is_key) layer.v_proj = matrix("attention.v_proj");
  }
  layer.o_proj = matrix("attention.o_proj");
  layer.post_attention_norm = vector("post_attention_norm");
  layer.ffn_norm = vector("ffn_norm");
  layer.gate_proj = matrix("ffn.gate_proj");
  layer.up_proj = matrix("ffn.up_proj");
  layer.down_proj = matrix("ffn.down_proj");
  layer.post_ffn_norm = vector("post_ffn_norm");
  if (config_.per_layer_dim > 0) {
    layer.per_layer_gate = matrix("per_layer_gate");
    layer.per_layer_proj = matrix("per_layer_proj");
    layer.post_per_layer_norm = vector("post_per_layer_norm");
  }
  if (config_.experts) load_experts(loader, prefix, layer);
  layer.output_scale = loader.values(prefix + "output_scale").at(0);
}

void Gemma4::load_experts(Loader& loader, const std::string& prefix, Layer& layer) {
  auto experts = std::make_unique<Experts>();
  const auto upload = [&](std::string_view name, WeightUse use) {
    return loader.find(fmt::format("{}{}", prefix, name), use);
  };
  experts->router = upload("router.proj", WeightUse::matrix);
  std::vector<float> scale = loader.values(prefix + "router.scale");
  const float root = 1.0F / std::sqrt(static_cast<float>(config_.model_dim));
  for (float& value : scale) value *= root;
  const HostTensor scaled = as_host_tensor(prefix + "router.scale", scale);
  experts->router_scale = backend_.upload(scaled, WeightUse::vector);
  experts->gate_up = upload("experts.gate_up_proj", WeightUse::matrix);
  experts->gate = upload("experts.gate_proj", WeightUse::matrix);
  experts->up = upload("experts.up_proj", WeightUse::matrix);
  experts->down = upload("experts.down_proj", WeightUse::matrix);
  experts->scale = upload("router.per_expert_scale", WeightUse::vector);
  experts->ffn_norm = upload("expert_ffn_norm", WeightUse::vector);
  experts->post_dense_norm = upload("post_dense_ffn_norm", WeightUse::vector);
  experts->post_experts_norm = upload("post_expert_ffn_norm", WeightUse::vector);
  ExpertWeights& weights = experts->weights;
  weights.gate_up = experts->gate_up ? &experts->gate_up : nullptr;
  weights.gate = &experts->gate;
  weights.up = &experts->up;
  weights.down = &experts->down;
  weights.scale = &experts->scale;
  weights.n_experts = config_.experts->n_experts;
  weights.n_used = config_.experts->n_experts_used;
  weights.ffn_dim = config_.experts->ffn_dim;
  backend_.reserve_experts(config_.model_dim, weights);
  layer.experts = std::move(experts);
}

void Gemma4::allocate_workspace() {
  std::int64_t head_cols = 0;
  std::int64_t kv_cols = 0;
  std::int64_t ffn_cols = 0;
  for (const Layer& layer : layers_) {
    const LayerConfig& c = layer.config;
    head_cols = std::max<std::int64_t>(head_cols, std::int64_t{config_.n_heads} * c.head_dim);
    kv_cols = std::max<std::int64_t>(kv_cols, std::int64_t{c.n_kv_heads} * c.head_dim);
    ffn_cols = std::max<std::int64_t>(ffn_cols, c.ffn_dim);
  }
  // Early layers' inputs of all rows, or every layer's where all rows have logits.
  const std::int64_t early_cols =
      end_of_block(std::int64_t{last_kv_owner_} * config_.per_layer_dim, per_layer_block_);
  const std::int64_t all_cols = std::int64_t{config_.n_layers()} * config_.per_layer_dim;
  const std::int64_t per_layer_floats =
      std::max(options_.max_rows * early_cols,
               std::min(options_.max_logit_rows, options_.max_rows) * all_cols);
  // Hidden states need every layer's inputs of all rows.
  info_.max_hidden_rows = options_.max_rows;
  if (all_cols > 0) {
    info_.max_hidden_rows = std::min(info_.max_hidden_rows, per_layer_floats / all_cols);
  }
  const std::int64_t rows = options_.max_rows;
  const std::vector<TensorPart> parts = {
      {&work_.residual, rows, config_.model_dim},
      {&work_.normed, rows, config_.model_dim},
      {&work_.branch, rows, config_.model_dim},
      {&work_.query, rows, head_cols},
      {&work_.key, rows, kv_cols},
      {&work_.value, rows, kv_cols},
      {&work_.attended, rows, head_cols},
      {&work_.gate, rows, ffn_cols},
      {&work_.up, rows, ffn_cols},
      {&work_.expert_branch, rows, config_.experts ? config_.model_dim : 0},
      {&work_.router_logits, rows, config_.experts ? config_.experts->n_experts : 0},
      {&work_.per_layer, 1, per_layer_floats},
      {&work_.per_layer_context, 1, per_layer_floats},
      {&work_.per_layer_gate, rows, config_.per_layer_dim},
      {&work_.sliding_rope, rows, 2 * static_cast<std::int64_t>(sliding_frequencies_.size())},
      {&work_.full_rope, rows, 2 * static_cast<std::int64_t>(full_frequencies_.size())},
      {&work_.logits, options_.max_logit_rows, config_.vocab_size},
  };
  work_.memory = allocate_tensors(backend_, parts);
  const auto max_rows = static_cast<std::size_t>(rows);
  for (auto* list : {&step_.tokens, &step_.positions, &step_.sequences, &step_.last_visible,
                     &step_.block_begin, &step_.wanted}) {
    list->reserve(max_rows);
  }
  step_.soft.reserve(max_rows);
  step_.logit_places.reserve(max_rows);
  host_logits_.resize(static_cast<std::size_t>(work_.logits.rows * work_.logits.cols));
}

std::unique_ptr<KvCache> Gemma4::make_kv_cache(const KvCacheOptions& options) {
  std::vector<KvLayerShape> shapes;
  for (int index = 0; index < config_.n_layers(); ++index) {
    const LayerConfig& layer = config_.layers[static_cast<std::size_t>(index)];
    if (!layer.owns_kv(index)) continue;
    const int window = layer.attention == AttentionKind::sliding ? config_.sliding_window : 0;
    shapes.push_back({layer.n_kv_heads, layer.head_dim, window});
  }
  auto cache = std::make_unique<KvCache>(backend_, shapes, options);
  step_.tables.resize(cache->n_groups());
  for (auto& tables : step_.tables) tables.reserve(static_cast<std::size_t>(options_.max_rows));
  return cache;
}

}  // namespace pleiad::gemma4
