#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "base/error.h"
#include "base/text_format.h"
#include "formats/gguf/reader.h"
#include "model/gemma4/config_load.h"
#include "model/gemma4/config_rules.h"
#include "model/gemma4/gguf_keys.h"

namespace pleiad::gemma4 {
namespace {

constexpr std::string_view kArchitecture = "gemma4";

void check_gguf_architecture(const gguf::File& file) {
  const auto architecture = file.metadata().find_string("general.architecture");
  if (!architecture) {
    throw LoadError("{}: metadata key 'general.architecture' is missing; not a model file",
                    file.name());
  }
  if (*architecture != kArchitecture) refuse_architecture(*architecture, file.name());
}

/// The outermost dimension of a table, which the metadata does not repeat.
int outer_dim(const gguf::File& file, std::string_view tensor, std::int64_t max,
              ProblemList& problems) {
  const gguf::TensorInfo* info = file.find_tensor(tensor);
  if (info == nullptr) {
    problems.add("tensor '{}' is missing", tensor);
    return 1;
  }
  if (info->shape.size() != 2 || info->shape[0] > max) {
    problems.add("tensor '{}': expected two dimensions, the outer at most {}, found {}", tensor,
                 max, to_string(info->shape));
    return 1;
  }
  return static_cast<int>(info->shape[0]);
}

/// How many pairs of a full layer's heads turn. The file stores one factor per
/// pair that divides the angle: 1, or for pairs that stand still a huge one.
int count_rotated_pairs(const gguf::File& file, int head_dim, ProblemList& problems) {
  const gguf::TensorInfo* info = file.find_tensor("rope_freqs.weight");
  if (info == nullptr) return head_dim / 8;
  const auto n_pairs = static_cast<std::size_t>(head_dim / 2);
  if (info->dtype != DType::f32 || info->data.size() != n_pairs * sizeof(float)) {
    problems.add("tensor 'rope_freqs.weight': expected {} floats (half a head), found {} {}",
                 n_pairs, info->dtype ? name(*info->dtype) : "another type",
                 to_string(info->shape));
    return 0;
  }
  std::vector<float> factors(n_pairs);
  std::memcpy(factors.data(), info->data.data(), info->data.size());
  const auto first_still = std::ranges::find_if(factors, [](float f) { return f != 1.0F; });
  const auto wrong =
      std::find_if(first_still, factors.end(), [](float f) { return !(f >= 1e20F); });
  if (wrong != factors.end()) {
    problems.add(
        "tensor 'rope_freqs.weight': factor {} is {}; expected ones, then factors of at least "
        "1e20 (other frequency scaling is not supported)",
        wrong - factors.begin(), *wrong);
  }
  return static_cast<int>(first_still - factors.begin());
}

/// The heads of values must be as wide as those of keys, and all of a head's
/// dimensions take part in RoPE.
void check_widths(const Keys& keys, std::string_view suffix, int head_dim, ProblemList& problems) {
  for (const std::string_view key : {"attention.value_length", "rope.dimension_count"}) {
    const std::string full = fmt::format("{}{}", key, suffix);
    const int found = keys.integer(full, 1, kMaxHeadDim, head_dim);
    if (found != head_dim) {
      problems.add("metadata key '{}.{}': expected {} (the key length), found {}", kArchitecture,
                   full, head_dim, found);
    }
  }
}

void read_gguf_layers(const Keys& keys, const gguf::File& file, Config& config,
                      ProblemList& problems) {
  const int n_layers = keys.integer("block_count", 1, kMaxLayers);
  const int full_head_dim = keys.integer("attention.key_length", 2, kMaxHeadDim);
  const int sliding_head_dim = keys.integer("attention.key_length_swa", 2, kMaxHeadDim);
  check_widths(keys, "", full_head_dim, problems);
  check_widths(keys, "_swa", sliding_head_dim, problems);
  const auto n_kv_heads = keys.per_layer("attention.head_count_kv", n_layers, 1, kMaxHeads);
  const auto ffn_dims = keys.per_layer("feed_forward_length", n_layers, 1, kMaxFfnDim);
  const auto sliding = keys.sliding_pattern(n_layers);
  const auto has_value = [&](std::size_t index) {
    return file.find_tensor(fmt::format("blk.{}.attn_v.weight", index)) != nullptr;
  };
  bool any_full_value = false;
  for (std::size_t index = 0; index < sliding.size(); ++index) {
    LayerConfig& layer = config.layers.emplace_back();
    layer.attention = sliding[index] ? AttentionKind::sliding : AttentionKind::full;
    layer.head_dim = sliding[index] ? sliding_head_dim : full_head_dim;
    layer.n_kv_heads = n_kv_heads[index];
    layer.ffn_dim = ffn_dims[index];
    any_full_value |= !sliding[index] && has_value(index);
  }
  // No key says so: in such models no full layer at all has a v_proj.
  for (LayerConfig& layer : config.layers) {
    layer.value_is_key = layer.attention == AttentionKind::full && !any_full_value;
  }
  share_kv(config, keys.integer("attention.shared_kv_layers", 0, kMaxLayers, 0), problems);

  config.sliding_rope = {keys.number("rope.freq_base_swa", 1.0, 1e12, 10'000.0),
                         sliding_head_dim / 2};
  config.full_rope = {keys.number("rope.freq_base", 1.0, 1e12, 1'000'000.0),
                      count_rotated_pairs(file, full_head_dim, problems)};
  if (keys.number("rope.scaling.factor", 0.0, 1e6, 1.0) != 1.0) {
    problems.add("metadata key '{}.rope.scaling.factor': expected 1 (no scaling)", kArchitecture);
  }
}

int read_n_heads(const Keys& keys, int n_layers, ProblemList& problems) {
  const auto heads = keys.per_layer("attention.head_count", n_layers, 1, kMaxHeads);
  if (std::ranges::any_of(heads, [&](int n) { return n != heads[0]; })) {
    problems.add("metadata key '{}.attention.head_count': layers differ", kArchitecture);
  }
  return heads[0];
}

}  // namespace

Config config_from_gguf(const gguf::File& file) {
  check_gguf_architecture(file);
  ProblemList problems(file.name());
  const Keys keys(file.metadata(), kArchitecture, problems);
  Config config;
  config.vocab_size = outer_dim(file, "token_embd.weight", kMaxVocab, problems);
  config.model_dim = keys.integer("embedding_length", 1, kMaxModelDim);
  config.context_length = keys.integer("context_length", 1, kMaxContext);
  config.sliding_window = keys.integer("attention.sliding_window", 1, kMaxContext);
  config.rms_norm_eps =
      static_cast<float>(keys.number("attention.layer_norm_rms_epsilon", 1e-12, 1.0, 1e-6));
  config.final_logit_softcap =
      static_cast<float>(keys.number("final_logit_softcapping", 0.0, 1e6, 0.0));
  config.per_layer_dim = keys.integer("embedding_length_per_layer_input", 0, kMaxModelDim, 0);
  if (config.per_layer_dim != 0) {
    config.per_layer_vocab_size =
        outer_dim(file, "per_layer_token_embd.weight", kMaxVocab, problems);
  }
  config.tied_head = file.find_tensor("output.weight") == nullptr;
  // No key says so: of the released models it is those without per-layer embeddings.
  config.bidirectional_blocks = config.per_layer_dim == 0;
  read_gguf_layers(keys, file, config, problems);
  config.n_heads = read_n_heads(keys, config.n_layers(), problems);
  if (keys.integer("expert_count", 0, kMaxExperts, 0) != 0) {
    config.experts = ExpertsConfig{keys.integer("expert_count", 1, kMaxExperts),
                                   keys.integer("expert_used_count", 1, kMaxExperts),
                                   keys.integer("expert_feed_forward_length", 1, kMaxFfnDim)};
  }
  problems.throw_if_any();
  check_config(config, problems);
  problems.throw_if_any();
  const auto given_name = file.metadata().find_string("general.name");
  config.name =
      given_name && !given_name->empty() ? printable(*given_name) : name_from_shape(config);
  return config;
}

}  // namespace pleiad::gemma4
