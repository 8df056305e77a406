#include "engine/loaded_model.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/mapped_file.h"
#include "base/picture_budgets.h"
#include "formats/gguf/reader.h"
#include "model/gemma4/gemma4.h"
#include "text/tokenizer_json.h"

namespace pleiad {
namespace {

text::Tokenizer tokenizer_from_gguf(const gguf::File& file) {
  const gguf::Metadata& metadata = file.metadata();
  const auto tokens = metadata.find_strings("tokenizer.ggml.tokens");
  if (!tokens) throw LoadError("{}: has no tokenizer (tokenizer.ggml.tokens)", file.name());
  const auto types = metadata.find_integers("tokenizer.ggml.token_type");
  const auto merges = metadata.find_strings("tokenizer.ggml.merges");
  std::vector<std::int32_t> narrow_types;
  if (types) narrow_types.assign(types->begin(), types->end());
  text::GgufTokenizerArrays arrays;
  arrays.source = file.name();
  arrays.model = metadata.find_string("tokenizer.ggml.model").value_or("");
  arrays.pre = metadata.find_string("tokenizer.ggml.pre").value_or("");
  arrays.tokens = *tokens;
  arrays.token_types = narrow_types;
  if (merges) arrays.merges = *merges;
  arrays.bos_id = metadata.find_integer("tokenizer.ggml.bos_token_id");
  arrays.eos_id = metadata.find_integer("tokenizer.ggml.eos_token_id");
  arrays.unk_id = metadata.find_integer("tokenizer.ggml.unknown_token_id");
  arrays.pad_id = metadata.find_integer("tokenizer.ggml.padding_token_id");
  arrays.add_space_prefix = metadata.find_boolean("tokenizer.ggml.add_space_prefix");
  return text::Tokenizer(text::tokenizer_spec_from_gguf(arrays));
}

sampling::SamplingOptions sampling_defaults(const Checkpoint& checkpoint) {
  const GenerationDefaults& found = checkpoint.generation();
  sampling::SamplingOptions options;
  if (found.temperature) options.temperature = *found.temperature;
  if (found.top_k) options.top_k = *found.top_k;
  // 0 stands for the smallest set there is, which is what a tiny share gives.
  if (found.top_p) options.top_p = std::max(*found.top_p, 1e-6);
  if (found.min_p) options.min_p = *found.min_p;
  if (found.repeat_penalty) options.repeat_penalty = *found.repeat_penalty;
  // Beyond the vocabulary there is nothing to be chosen.
  std::ranges::copy_if(found.suppressed_tokens, std::back_inserter(options.suppressed_tokens),
                       [&](std::int32_t token) { return token < checkpoint.config().vocab_size; });
  const auto checked =
      sampling::check_options(options, static_cast<std::size_t>(checkpoint.config().vocab_size));
  if (!checked) {
    throw LoadError("{}: sampling defaults: {}", checkpoint.path().string(), checked.message());
  }
  return options;
}

/// What the checkpoint names, and the tokens that end a turn of the template
/// whether it names them or not: a GGUF file has room for one or two only.
sampling::StopTokens stop_tokens(const Checkpoint& checkpoint, const text::Vocabulary& vocabulary) {
  std::vector<std::int32_t> tokens = checkpoint.generation().stop_tokens;
  const auto add = [&](std::optional<text::TokenId> token) {
    if (token && std::find(tokens.begin(), tokens.end(), *token) == tokens.end()) {
      tokens.push_back(*token);
    }
  };
  add(vocabulary.eos());
  add(vocabulary.tag(text::Tag::turn_close));
  add(vocabulary.tag(text::Tag::tool_response_open));
  return sampling::StopTokens(std::move(tokens));
}

}  // namespace

text::TemplateFamily template_family(const gemma4::Config& config) {
  // Per-layer embeddings are what makes an E model.
  return config.per_layer_dim > 0 ? text::TemplateFamily::e_series : text::TemplateFamily::large;
}

text::Tokenizer load_tokenizer(const Checkpoint& checkpoint) {
  text::Tokenizer tokenizer = [&] {
    switch (checkpoint.tokenizer_source()) {
      case TokenizerSource::gguf:
        return read_unchanged(*checkpoint.gguf(),
                              [&] { return tokenizer_from_gguf(*checkpoint.gguf()); });
      case TokenizerSource::tokenizer_json:
        return text::load_tokenizer_json(checkpoint.tokenizer_json());
      case TokenizerSource::none:
        break;
    }
    throw LoadError("{}: has no tokenizer: expected tokenizer.json beside the weights",
                    checkpoint.path().string());
  }();
  const auto n_embeddings = static_cast<std::size_t>(checkpoint.config().vocab_size);
  if (tokenizer.vocabulary().size() > n_embeddings) {
    throw LoadError("{}: the tokenizer has {} pieces, the model {} embeddings",
                    checkpoint.path().string(), tokenizer.vocabulary().size(), n_embeddings);
  }
  return tokenizer;
}

int step_rows(const Checkpoint& checkpoint, int max_rows, int max_running) {
  const bool needs_whole_blocks =
      checkpoint.config().bidirectional_blocks && checkpoint.vision() != nullptr;
  return needs_whole_blocks ? std::max(max_rows, kPictureBudgets.back() + max_running) : max_rows;
}

LoadedModel::LoadedModel(const std::filesystem::path& path, Backend& backend,
                         const LoadOptions& options)
    : LoadedModel(Checkpoint::open(path, {options.projector}), backend, options) {}

LoadedModel::LoadedModel(Checkpoint checkpoint, Backend& backend, const LoadOptions& options)
    : started_(options.started > 0 ? options.started : monotonic_seconds()),
      checkpoint_(std::move(checkpoint)),
      tokenizer_(load_tokenizer(checkpoint_)),
      model_(std::make_unique<gemma4::Gemma4>(
          checkpoint_, backend,
          gemma4::ModelOptions{options.max_rows, options.max_logit_rows, options.online},
          options.progress)),
      family_(template_family(checkpoint_.config())),
      sampling_(::pleiad::sampling_defaults(checkpoint_)),
      stop_tokens_(::pleiad::stop_tokens(checkpoint_, tokenizer_.vocabulary())),
      load_seconds_(monotonic_seconds() - started_),
      backend_(backend),
      vision_options_{.max_rows = options.max_rows, .load_on_the_way = true} {
  if (options.online && gemma4::quantizes_online(checkpoint_, *options.online)) {
    online_type_ = options.online->type;
  }
}

VisionEncoder& LoadedModel::vision() {
  if (!vision_) {
    if (!has_vision()) {
      throw Error("{} {}", checkpoint_.config().name, checkpoint_.picture_problem());
    }
    vision_ = gemma4::make_vision_encoder(checkpoint_, backend_, vision_options_);
  }
  return *vision_;
}

AudioEncoder& LoadedModel::audio() {
  if (!audio_) {
    if (!has_audio()) {
      throw Error("{} {}", checkpoint_.config().name, checkpoint_.sound_problem());
    }
    const gemma4::AudioOptions options = {.max_rows = vision_options_.max_rows,
                                          .load_on_the_way = true};
    audio_ = gemma4::make_audio_encoder(checkpoint_, backend_, options);
  }
  return *audio_;
}

}  // namespace pleiad
