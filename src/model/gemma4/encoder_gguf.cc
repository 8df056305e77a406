#include "model/gemma4/encoder_gguf.h"

#include <algorithm>

#include "model/gemma4/config_rules.h"
#include "model/gemma4/vision/tensor_table.h"

namespace pleiad::gemma4 {

int projection_dim(const Keys& keys, std::string_view prefix, const Config& text,
                   ProblemList& problems) {
  const int found = keys.integer("projection_dim", 1, kMaxModelDim, text.model_dim);
  if (found != text.model_dim) {
    problems.add("metadata key '{}.projection_dim': expected {} (the text model's width), found {}",
                 prefix, text.model_dim, found);
  }
  return found;
}

bool has_clip_bounds(const gguf::File& file, std::string_view layers) {
  return std::ranges::any_of(file.tensors(), [&](const gguf::TensorInfo& info) {
    return info.name.starts_with(layers) &&
           std::ranges::any_of(kClipBounds, [&](std::string_view bound) {
             return info.name.ends_with(fmt::format(".{}", bound));
           });
  });
}

std::vector<std::optional<std::int32_t>> tokens_spelled(
    const gguf::File& file, std::initializer_list<std::string_view> pieces) {
  std::vector<std::optional<std::int32_t>> tokens(pieces.size());
  const auto vocabulary = file.metadata().find_strings("tokenizer.ggml.tokens");
  if (!vocabulary) return tokens;
  std::ranges::transform(pieces, tokens.begin(),
                         [&](std::string_view piece) -> std::optional<std::int32_t> {
                           const auto found = std::ranges::find(*vocabulary, piece);
                           if (found == vocabulary->end()) return std::nullopt;
                           return static_cast<std::int32_t>(found - vocabulary->begin());
                         });
  return tokens;
}

}  // namespace pleiad::gemma4
