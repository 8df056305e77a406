#include "base/error.h"
#include "base/picture_budgets.h"
#include "formats/bounded_json.h"
#include "model/gemma4/config_rules.h"
#include "model/gemma4/json_fields.h"
#include "model/gemma4/vision/config_load.h"
#include "model/gemma4/vision/config_rules.h"

namespace pleiad::gemma4 {
namespace {

/// Files name the side of small patches and how many of them are merged. Absent fields are as in
/// read_vision().
VisionConfig read_embedder(const Fields& fields, const Config& text, ProblemList& problems) {
  VisionConfig config;
  config.kind = VisionKind::embedder;
  config.hidden_dim = fields.integer("mm_embed_dim", 1, kMaxModelDim, 3840);
  config.patch_size = fields.integer("patch_size", 1, kMaxPatchSize, 16) *
                      fields.integer("pooling_kernel_size", 1, kMaxPooling, 3);
  config.pooling = 1;
  config.position_table_size = fields.integer("mm_posemb_size", 1, kMaxVisionPositions, 1120);
  config.rms_norm_eps = static_cast<float>(fields.number("rms_norm_eps", 1e-12, 1.0, 1e-6));
  config.model_dim = text.model_dim;
  const int projected = fields.integer("output_proj_dims", 1, kMaxModelDim, config.hidden_dim);
  if (projected != config.hidden_dim) {
    problems.add("'vision_config.output_proj_dims': expected {} (mm_embed_dim), found {}",
                 config.hidden_dim, projected);
  }
  return config;
}

/// Where a field is absent its value is that of the reference's configuration class.
VisionConfig read_vision(const Fields& fields, const Config& text, ProblemList& problems) {
  VisionConfig config;
  config.hidden_dim = fields.integer("hidden_size", 1, kMaxModelDim, 768);
  config.ffn_dim = fields.integer("intermediate_size", 1, kMaxFfnDim, 3072);
  config.n_layers = fields.integer("num_hidden_layers", 1, kMaxLayers, 16);
  config.n_heads = fields.integer("num_attention_heads", 1, kMaxHeads, 12);
  config.head_dim = fields.integer("head_dim", 1, kMaxHeadDim, 64);
  config.patch_size = fields.integer("patch_size", 1, kMaxPatchSize, 16);
  config.pooling = fields.integer("pooling_kernel_size", 1, kMaxPooling, 3);
  config.position_table_size =
      fields.integer("position_embedding_size", 1, kMaxVisionPositions, 10'240);
  config.rms_norm_eps = static_cast<float>(fields.number("rms_norm_eps", 1e-12, 1.0, 1e-6));
  config.clipped_linears = fields.boolean("use_clipped_linears", false);
  config.standardize = fields.boolean("standardize", false);
  config.model_dim = text.model_dim;
  const int kv_heads = fields.integer("num_key_value_heads", 1, kMaxHeads,
                                      static_cast<std::int64_t>(config.n_heads));
  if (kv_heads != config.n_heads) {
    problems.add("'vision_config.num_key_value_heads': expected {} (num_attention_heads), found {}",
                 config.n_heads, kv_heads);
  }
  const std::string activation = fields.text("hidden_activation", "gelu_pytorch_tanh");
  if (activation != "gelu_pytorch_tanh") {
    problems.add("'vision_config.hidden_activation': expected gelu_pytorch_tanh, found '{}'",
                 printable(activation));
  }
  if (fields.boolean("attention_bias", false)) {
    problems.add("'vision_config.attention_bias': expected false, found true");
  }
  if (const BoundedJson* rope = fields.object("rope_parameters")) {
    const Fields parameters(*rope, fields.path("rope_parameters"), problems);
    config.rope_theta = parameters.number("rope_theta", 1.0, 1e12, 100.0);
    const std::string type = parameters.text("rope_type", "default");
    if (type != "default" && type != "axial") {
      problems.add(
          "'vision_config.rope_parameters.rope_type': expected default or axial, found '{}'",
          printable(type));
    }
  }
  return config;
}

/// The budget that a field names; nothing where it names none.
std::optional<int> read_budget(const Fields& fields, std::string_view field) {
  const BoundedJson* value = fields.find(field);
  if (value == nullptr) return std::nullopt;
  for (const int budget : kPictureBudgets) {
    if (*value == budget) return budget;
  }
  return std::nullopt;
}

MediaTokens read_tokens(const Fields& outer, int vocab_size) {
  const auto token = [&](std::string_view field, int absent) {
    return outer.token(field, absent, vocab_size);
  };
  return {token("boi_token_id", 255'999), token("image_token_id", 258'880),
          token("eoi_token_id", 258'882), token("video_token_id", 258'884)};
}

}  // namespace

MediaConfig media_config_from_json(std::string_view json, const std::string& file,
                                   const Config& text) {
  const BoundedJson root = parse_bounded_json(json, file);
  if (!root.is_object()) throw LoadError("{}: expected a JSON object", file);
  ProblemList problems(file);
  const Fields outer(root, "", problems);
  MediaConfig media;
  if (const BoundedJson* vision = outer.object("vision_config")) {
    const Fields fields(*vision, "vision_config.", problems);
    VisionConfig config = names_unified_class(root) ? read_embedder(fields, text, problems)
                                                    : read_vision(fields, text, problems);
    // The reference does not read it: what is no budget decides nothing.
    config.default_budget =
        read_budget(outer, "vision_soft_tokens_per_image").value_or(kUsualPictureBudget);
    media.tokens = read_tokens(outer, text.vocab_size);
    problems.throw_if_any();
    check_vision_config(config, problems);
    media.vision = config;
  }
  problems.throw_if_any();
  return media;
}

std::optional<int> default_budget_from_json(std::string_view json, const std::string& file) {
  const BoundedJson root = parse_bounded_json(json, file);
  if (!root.is_object()) throw LoadError("{}: expected a JSON object", file);
  ProblemList problems(file);
  const Fields outer(root, "", problems);
  std::optional<int> budget;
  const auto read = [&](const Fields& fields) {
    if (fields.find("max_soft_tokens") != nullptr) {
      budget = read_budget(fields, "max_soft_tokens");
      if (!budget) {
        fields.report("max_soft_tokens", picture_budgets_text(), *fields.find("max_soft_tokens"));
      }
    }
  };
  // processor_config.json nests what preprocessor_config.json says.
  const BoundedJson* image = outer.object("image_processor");
  read(image == nullptr ? outer : Fields(*image, "image_processor.", problems));
  problems.throw_if_any();
  return budget;
}

}  // namespace pleiad::gemma4
