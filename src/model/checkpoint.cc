#include "model/checkpoint.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/file_status.h"
#include "base/mapped_file.h"
#include "base/text_format.h"
#include "formats/gguf/reader.h"
#include "formats/not_a_model.h"
#include "formats/problem_list.h"
#include "formats/safetensors/folder.h"
#include "model/checkpoint_audio.h"
#include "model/checkpoint_generation.h"
#include "model/checkpoint_location.h"
#include "model/checkpoint_tensors.h"
#include "model/checkpoint_vision.h"
#include "model/config_text.h"
#include "model/gemma4/audio/config_load.h"
#include "model/gemma4/config_load.h"
#include "model/gemma4/tensor_table.h"
#include "model/gemma4/vision/config_load.h"
#include "model/gemma4/vision/tensor_table.h"
#include "tensor/decode.h"

namespace pleiad {

namespace fs = std::filesystem;

struct Checkpoint::State {
  fs::path path;
  gemma4::Config config;
  GenerationDefaults generation;
  CheckpointTensors tensors;
  CheckpointVision vision;
  CheckpointAudio audio;
  gemma4::MediaTokens media_tokens;
  gemma4::SoundTokens sound_tokens;
  TokenizerSource tokenizer = TokenizerSource::none;
  fs::path tokenizer_json;
  // One of the two.
  std::optional<gguf::File> gguf;
  std::optional<safetensors::Folder> folder;
};

namespace {

constexpr float kUnbounded = std::numeric_limits<float>::infinity();

float clip_bound(const TensorsByName& tensors, const std::string& name, float absent) {
  const auto found = tensors.find(name);
  if (found == tensors.end()) return absent;
  float value = 0.0F;
  decode_row(found->second, 0, &value);
  return value;
}

}  // namespace

bool same_shape(const Shape& a, const Shape& b) {
  if (a == b) return true;
  return a.size() <= 1 && b.size() <= 1 && element_count(a) == 1 && element_count(b) == 1;
}

void check_clip_bounds(const TensorsByName& tensors, std::string_view tower, int n_layers,
                       std::span<const std::string_view> linears, ProblemList& problems) {
  for (int layer = 0; layer < n_layers; ++layer) {
    for (const std::string_view linear : linears) {
      for (const std::string_view side : {"input", "output"}) {
        const std::string name = fmt::format("{}.layers.{}.{}.{}", tower, layer, linear, side);
        const float from = clip_bound(tensors, name + "_min", -kUnbounded);
        const float to = clip_bound(tensors, name + "_max", kUnbounded);
        if (!(from <= to)) problems.add("clip bounds '{}': {} to {}", name, from, to);
      }
    }
  }
}

void note_unused(const gemma4::Config& config, std::string_view name, UnusedTensors& unused) {
  switch (gemma4::classify_unused(config, name)) {
    case gemma4::UnusedKind::vision:
      ++unused.vision;
      return;
    case gemma4::UnusedKind::audio:
      ++unused.audio;
      return;
    case gemma4::UnusedKind::dead_kv:
      ++unused.dead_kv;
      return;
    case gemma4::UnusedKind::ignored:
      return;
    case gemma4::UnusedKind::unknown:
      unused.unknown.emplace_back(name);
      return;
  }
}

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
    }
  }

  void read_vision(const fs::path& path, const std::string& config_json) {
    const std::string config_name = (path / "config.json").string();
    gemma4::MediaConfig media =
        gemma4::media_config_from_json(config_json, config_name, state.config);
    state.media_tokens = media.tokens;
    if (!options.projector.empty()) {
      state.vision = named_projector(options.projector, state.config);
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

Checkpoint::Checkpoint(std::unique_ptr<State> state) : state_(std::move(state)) {}
Checkpoint::~Checkpoint() = default;
Checkpoint::Checkpoint(Checkpoint&&) noexcept = default;
Checkpoint& Checkpoint::operator=(Checkpoint&&) noexcept = default;

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

const fs::path& Checkpoint::path() const { return state_->path; }
const gemma4::Config& Checkpoint::config() const { return state_->config; }
const GenerationDefaults& Checkpoint::generation() const { return state_->generation; }
const UnusedTensors& Checkpoint::unused() const { return state_->tensors.unused; }

namespace {

const HostTensor* find_in(const TensorsByName& tensors, std::string_view name) {
  const auto found = tensors.find(name);
  return found == tensors.end() ? nullptr : &found->second;
}

}  // namespace

const HostTensor* Checkpoint::find(std::string_view name) const {
  return find_in(state_->tensors.by_name, name);
}

const HostTensor& Checkpoint::get(std::string_view name) const {
  const HostTensor* tensor = find(name);
  CHECK(tensor != nullptr, "tensor {}", name);
  return *tensor;
}

namespace {

std::uint64_t bytes_of(const TensorsByName& tensors) {
  std::uint64_t bytes = 0;
  for (const auto& [name, tensor] : tensors) {
    bytes += tensor.data.size() + tensor.scales.block_scales.size();
  }
  return bytes;
}

}  // namespace

std::uint64_t Checkpoint::tensor_bytes() const { return bytes_of(state_->tensors.by_name); }

DType Checkpoint::main_dtype() const {
  // Of the layers only: embedding tables are often stored in another type than
  // the one a file is named after, and may have more weights than all layers.
  std::array<std::int64_t, kDTypeCount> weights = {};
  for (const auto& [name, tensor] : state_->tensors.by_name) {
    if (!name.starts_with("layers.")) continue;
    weights[static_cast<std::size_t>(tensor.dtype)] += element_count(tensor.shape);
  }
  return static_cast<DType>(std::ranges::max_element(weights) - weights.begin());
}

const gemma4::VisionConfig* Checkpoint::vision() const {
  return state_->vision.config ? &*state_->vision.config : nullptr;
}

const std::string& Checkpoint::vision_problem() const { return state_->vision.problem; }
std::string Checkpoint::picture_problem() const {
  if (vision() == nullptr) return vision_problem();
  if (const std::string problem = gemma4::tower_problem(*vision()); !problem.empty()) {
    return problem;
  }
  const gemma4::MediaTokens& tokens = media_tokens();
  if (!tokens.image_begin || !tokens.image || !tokens.image_end) {
    return "has a vision tower, but names no tokens for pictures";
  }
  return {};
}
const fs::path& Checkpoint::projector() const { return state_->vision.projector; }
const gemma4::MediaTokens& Checkpoint::media_tokens() const { return state_->media_tokens; }

const HostTensor* Checkpoint::find_vision(std::string_view name) const {
  return find_in(state_->vision.tensors, name);
}

void Checkpoint::for_each_vision(
    const std::function<void(std::string_view, const HostTensor&)>& visit) const {
  for (const auto& [name, tensor] : state_->vision.tensors) visit(name, tensor);
}

std::uint64_t Checkpoint::vision_tensor_bytes() const { return bytes_of(state_->vision.tensors); }

const gemma4::AudioConfig* Checkpoint::audio() const {
  return state_->audio.config ? &*state_->audio.config : nullptr;
}

const std::string& Checkpoint::audio_problem() const { return state_->audio.problem; }
std::string Checkpoint::sound_problem() const {
  if (audio() == nullptr) return audio_problem();
  if (const std::string problem = gemma4::audio_tower_problem(*audio()); !problem.empty()) {
    return problem;
  }
  const gemma4::SoundTokens& tokens = sound_tokens();
  if (!tokens.audio_begin || !tokens.audio || !tokens.audio_end) {
    return "has an audio tower, but names no tokens for sound";
  }
  return {};
}
const fs::path& Checkpoint::audio_projector() const { return state_->audio.projector; }
const gemma4::SoundTokens& Checkpoint::sound_tokens() const { return state_->sound_tokens; }

const HostTensor* Checkpoint::find_audio(std::string_view name) const {
  return find_in(state_->audio.tensors, name);
}

void Checkpoint::for_each_audio(
    const std::function<void(std::string_view, const HostTensor&)>& visit) const {
  for (const auto& [name, tensor] : state_->audio.tensors) visit(name, tensor);
}

std::uint64_t Checkpoint::audio_tensor_bytes() const { return bytes_of(state_->audio.tensors); }

TokenizerSource Checkpoint::tokenizer_source() const { return state_->tokenizer; }

const gguf::File* Checkpoint::gguf() const { return state_->gguf ? &*state_->gguf : nullptr; }

const safetensors::Folder* Checkpoint::folder() const {
  return state_->folder ? &*state_->folder : nullptr;
}

const fs::path& Checkpoint::tokenizer_json() const { return state_->tokenizer_json; }

namespace {

/// The mapping that `bytes` lie in.
const MappedFile* mapping_of(const Checkpoint::State& state, std::span<const std::byte> bytes) {
  const auto holds = [&](const MappedFile& file) {
    const auto all = file.bytes();
    return std::less_equal<>()(all.data(), bytes.data()) &&
           std::less_equal<>()(bytes.data() + bytes.size(), all.data() + all.size());
  };
  for (const auto* gguf :
       {&state.gguf, &state.vision.projector_file, &state.audio.projector_file}) {
    if (!*gguf) continue;
    const auto found = std::ranges::find_if((*gguf)->parts(), holds);
    if (found != (*gguf)->parts().end()) return &*found;
  }
  if (!state.folder) return nullptr;
  for (const safetensors::File& file : state.folder->files()) {
    if (file.mapping() != nullptr && holds(*file.mapping())) return file.mapping();
  }
  return nullptr;
}

}  // namespace

void Checkpoint::check_unchanged() const {
  if (state_->gguf) state_->gguf->check_unchanged();
  if (state_->folder) state_->folder->check_unchanged();
}

void Checkpoint::check_vision_unchanged() const {
  if (state_->vision.projector_file) {
    state_->vision.projector_file->check_unchanged();
  } else {
    check_unchanged();
  }
}

void Checkpoint::check_audio_unchanged() const {
  if (state_->audio.projector_file) {
    state_->audio.projector_file->check_unchanged();
  } else {
    check_unchanged();
  }
}

void Checkpoint::drop_pages(const HostTensor& tensor) const {
  for (const auto bytes : {tensor.data, tensor.scales.block_scales}) {
    if (const MappedFile* file = mapping_of(*state_, bytes)) file->drop_pages(bytes);
  }
}

void Checkpoint::advise_random(const HostTensor& tensor) const {
  for (const auto bytes : {tensor.data, tensor.scales.block_scales}) {
    if (const MappedFile* file = mapping_of(*state_, bytes)) file->advise_random(bytes);
  }
}

void Checkpoint::for_each(
    const std::function<void(std::string_view, const HostTensor&)>& visit) const {
  for (const auto& [name, tensor] : state_->tensors.by_name) visit(name, tensor);
}

}  // namespace pleiad
