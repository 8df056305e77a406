// How a checkpoint is read, and checked whole.

#include <memory>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/file_status.h"
#include "base/mapped_file.h"
#include "formats/gguf/reader.h"
#include "formats/problem_list.h"
#include "formats/safetensors/folder.h"
#include "model/checkpoint_audio.h"
#include "model/checkpoint_generation.h"
#include "model/checkpoint_location.h"
#include "model/checkpoint_state.h"
#include "model/checkpoint_tensors.h"
#include "model/checkpoint_vision.h"
#include "model/config_text.h"
#include "model/gemma4/audio/config_load.h"
#include "model/gemma4/config_load.h"
#include "model/gemma4/vision/config_load.h"
#include "model/spelled_tokens.h"

namespace pleiad {
namespace {

namespace fs = std::filesystem;

/// Fills a State from either kind of file.
struct CheckpointReader {
  Checkpoint::State& state;
  ProblemList problems;
  const CheckpointOptions& options;

  /// Notes the LoadError of a part of the work and goes on, so that the user sees
  /// everything at once.
  template <typename Work>
  void attempt(Work work) {
    try {
      work();
    } catch (const LoadError& error) {
      problems.add_error(error.what());
    }
  }

  void read_gguf(const fs::path& path) {
    const gguf::File& file = state.gguf.emplace(gguf::File::open(path));
    read_unchanged(file, [&] {
      read_gguf_file(file);
      problems.throw_if_any();
    });
    // Files beside the model are looked at once it is known what belongs to it.
    if (!options.projector.empty()) {
      state.vision = named_projector(options.projector, state.config);
      state.audio = named_audio_projector(options.projector, state.config);
      return;
    }
    if (!state.vision.config) state.vision = projector_beside(path, state.config);
    if (!state.audio.config && !gemma4::has_audio_tower(*state.gguf)) {
      state.audio = audio_beside(path, state.vision.projector, state.config);
    }
  }

  void read_gguf_file(const gguf::File& file) {
    state.config = gemma4::config_from_gguf(file);
    state.tensors = load_tensors(file, state.config, problems);
    attempt([&] { state.generation = generation_from_gguf(file.metadata(), file.name()); });
    attempt([&] { state.media_tokens = gemma4::media_tokens_from_gguf(file); });
    if (options.projector.empty() && gemma4::has_vision_tower(file)) {
      attempt([&] { state.vision = own_vision(file, state.config, problems); });
    }
    attempt([&] { state.sound_tokens = gemma4::sound_tokens_from_gguf(file); });
    if (options.projector.empty() && gemma4::has_audio_tower(file)) {
      state.audio = own_audio(file, state.config);
    }
    if (file.metadata().contains("tokenizer.ggml.tokens")) {
      state.tokenizer = TokenizerSource::gguf;
    }
  }

  void read_folder(const fs::path& path) {
    const fs::path config_path = path / "config.json";
    if (!is_there(config_path)) throw LoadError("{}: there is no config.json", path.string());
    const std::string config_json = read_config_text(config_path);
    state.config = gemma4::config_from_json(config_json, config_path.string());
    const safetensors::Folder& folder = state.folder.emplace(safetensors::Folder::open(path));
    state.tensors =
        read_unchanged(folder, [&] { return load_tensors(folder, state.config, problems); });
    attempt([&] { read_vision(path, config_json); });
    state.audio =
        folder_audio(folder, config_json, config_path.string(), state.config, state.sound_tokens);
    if (!options.projector.empty()) {
      attempt([&] { state.audio = named_audio_projector(options.projector, state.config); });
    }
    attempt([&] { read_generation(path, config_json); });
    if (is_there(path / "tokenizer.json")) {
      state.tokenizer = TokenizerSource::tokenizer_json;
      state.tokenizer_json = path / "tokenizer.json";
      name_media_tokens();
    }
  }

  /// A config.json without a tower of its own names no tokens for what a projector file brings.
  void name_media_tokens() {
    const auto is_of_text = [&](std::optional<std::int32_t>& token) {
      if (token && *token >= state.config.vocab_size) token.reset();
    };
    if (state.vision.config && !state.vision.projector.empty() && !state.media_tokens.image) {
      const auto tokens = added_tokens_spelled(state.tokenizer_json,
                                               {"<|image>", "<|image|>", "<image|>", "<|video|>"});
      state.media_tokens = {tokens[0], tokens[1], tokens[2], tokens[3]};
      is_of_text(state.media_tokens.image_begin);
      is_of_text(state.media_tokens.image);
      is_of_text(state.media_tokens.image_end);
      is_of_text(state.media_tokens.video);
    }
    if (state.audio.config && !state.audio.projector.empty() && !state.sound_tokens.audio) {
      const auto tokens =
          added_tokens_spelled(state.tokenizer_json, {"<|audio>", "<|audio|>", "<audio|>"});
      state.sound_tokens = {tokens[0], tokens[1], tokens[2]};
      is_of_text(state.sound_tokens.audio_begin);
      is_of_text(state.sound_tokens.audio);
      is_of_text(state.sound_tokens.audio_end);
    }
  }

  void read_vision(const fs::path& path, const std::string& config_json) {
    const std::string config_name = (path / "config.json").string();
    gemma4::MediaConfig media =
        gemma4::media_config_from_json(config_json, config_name, state.config);
    state.media_tokens = media.tokens;
    if (!options.projector.empty()) {
      state.vision = named_projector(options.projector, state.config);
      if (!state.vision.config) return;  // the file holds an audio tower alone
      if (media.vision && media.vision->kind != state.vision.config->kind) {
        throw LoadError("{}: the projector file of another architecture than {} names",
                        options.projector.string(), config_name);
      }
    } else if (!media.vision || !holds_vision_tower(*state.folder)) {
      state.vision.problem =
          fmt::format("has no vision tower: {}", media.vision ? "its safetensors hold none"
                                                              : "config.json has no vision_config");
      return;
    } else {
      state.vision.config = media.vision;
      state.vision.tensors = read_unchanged(*state.folder, [&] {
        return load_vision_tensors(*state.folder, *media.vision, problems);
      });
    }
    // The first that says it: preprocessor_config.json is what older writers call the file.
    for (const std::string_view name : {"processor_config.json", "preprocessor_config.json"}) {
      if (!is_there(path / name)) continue;
      const auto budget =
          gemma4::default_budget_from_json(read_config_text(path / name), (path / name).string());
      if (!budget) continue;
      state.vision.config->default_budget = *budget;
      break;
    }
  }

  void read_generation(const fs::path& path, const std::string& config_json) {
    const fs::path generation_path = path / "generation_config.json";
    if (is_there(generation_path)) {
      state.generation =
          parse_generation_config(read_config_text(generation_path), generation_path.string());
    }
    if (state.generation.stop_tokens.empty()) {
      state.generation.stop_tokens =
          parse_generation_config(config_json, (path / "config.json").string()).stop_tokens;
    }
  }
};

}  // namespace

Checkpoint Checkpoint::open(const fs::path& path, const CheckpointOptions& options) {
  auto state = std::make_unique<State>();
  const CheckpointLocation location = locate_checkpoint(path);
  state->path = location.path;
  CheckpointReader reader{*state, ProblemList(location.path.string()), options};
  if (location.is_gguf) {
    reader.read_gguf(location.path);
  } else {
    reader.read_folder(location.path);
  }
  reader.problems.throw_if_any();
  // Of a GGUF file nothing else says which mask its pictures are made for.
  state->config.blocks_on_all_layers = state->config.bidirectional_blocks && state->vision.config &&
                                       state->vision.config->is_embedder();
  return Checkpoint(std::move(state));
}

}  // namespace pleiad
