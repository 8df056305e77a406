#include "model/gemma4/config_rules.h"

#include "base/error.h"
#include "base/text_format.h"
#include "model/gemma4/family.h"

namespace pleiad::gemma4 {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// What a file is that is related to Gemma 4 and cannot be run; empty otherwise.
std::string_view known_kind(std::string_view architecture) {
  if (contains(architecture, "ssistant")) {
    return "a Gemma 4 drafter for speculative decoding, which is no model of its own";
  }
  if (architecture == "clip" || architecture == "mmproj") {
    return "the image and audio encoder (mmproj) that belongs to a model; give the model's own "
           "file instead";
  }
  return {};
}

std::string_view name(AttentionKind kind) {
  return kind == AttentionKind::sliding ? "sliding" : "full";
}

}  // namespace

void refuse_architecture(std::string_view found, const std::string& file) {
  constexpr std::string_view kSupported =
      "Pleiad runs Gemma 4 models: gemma4 (GGUF), Gemma4ForConditionalGeneration, "
      "Gemma4ForCausalLM, Gemma4UnifiedForConditionalGeneration, Gemma4UnifiedForCausalLM";
  const std::string_view kind = known_kind(found);
  if (kind.empty()) {
    throw LoadError("{}: found architecture '{}'; {}", file, printable(found), kSupported);
  }
  throw LoadError("{}: found architecture '{}': {}; {}", file, printable(found), kind, kSupported);
}

void share_kv(Config& config, std::int64_t n_shared, ProblemList& problems) {
  const int n_layers = config.n_layers();
  if (n_shared < 0 || n_shared > n_layers) {
    problems.add("{} of {} layers share keys and values", n_shared, n_layers);
    return;
  }
  const int first_shared = n_layers - static_cast<int>(n_shared);
  int last_owner[2] = {-1, -1};  // by kind
  for (int index = 0; index < n_layers; ++index) {
    LayerConfig& layer = config.layers[static_cast<std::size_t>(index)];
    int& owner = last_owner[static_cast<std::size_t>(layer.attention)];
    if (index < first_shared) owner = index;
    if (owner < 0) {
      problems.add("layer {} shares keys and values, but no {} layer before layer {} has any",
                   index, name(layer.attention), first_shared);
      return;
    }
    layer.kv_layer = owner;
  }
}

std::string name_from_shape(const Config& config) {
  for (const FamilyMember& member : family()) {
    if (member.n_layers == config.n_layers() && member.model_dim == config.model_dim) {
      return std::string(member.name);
    }
  }
  return fmt::format("Gemma 4 ({} layers, model dimension {})", config.n_layers(),
                     config.model_dim);
}

void check_config(const Config& config, ProblemList& problems) {
  const LayerConfig* first[2] = {nullptr, nullptr};  // by kind
  for (int index = 0; index < config.n_layers(); ++index) {
    const LayerConfig& layer = config.layers[static_cast<std::size_t>(index)];
    if (layer.head_dim % 2 != 0) {
      problems.add("layer {}: head dimension {} is odd", index, layer.head_dim);
    }
    if (layer.n_kv_heads > 0 && config.n_heads % layer.n_kv_heads != 0) {
      problems.add("layer {}: {} attention heads cannot be shared by {} key/value heads", index,
                   config.n_heads, layer.n_kv_heads);
    }
    const LayerConfig*& same = first[static_cast<std::size_t>(layer.attention)];
    if (same == nullptr) same = &layer;
    if (layer.head_dim != same->head_dim) {
      problems.add("layer {}: head dimension {} differs from {} of other {} layers", index,
                   layer.head_dim, same->head_dim, name(layer.attention));
    }
    const LayerConfig& donor = config.layers[static_cast<std::size_t>(layer.kv_layer)];
    if (donor.n_kv_heads != layer.n_kv_heads || donor.head_dim != layer.head_dim) {
      problems.add("layer {}: cannot share the keys and values of layer {}, which has other heads",
                   index, layer.kv_layer);
    }
    const RopeConfig& rope = config.rope(layer.attention);
    if (same == &layer && rope.n_rotated_pairs > layer.head_dim / 2) {
      problems.add("layer {}: {} rotated pairs in heads of {}", index, rope.n_rotated_pairs,
                   layer.head_dim);
    }
  }
  // Every token has a row in both tables: a smaller one would be read past its end.
  if (config.per_layer_dim > 0 && config.per_layer_vocab_size < config.vocab_size) {
    problems.add("the per-layer vocabulary has {} pieces, the vocabulary {}",
                 config.per_layer_vocab_size, config.vocab_size);
  }
  if (config.experts && config.experts->n_experts_used > config.experts->n_experts) {
    problems.add("{} of {} experts are used per token", config.experts->n_experts_used,
                 config.experts->n_experts);
  }
}

}  // namespace pleiad::gemma4
