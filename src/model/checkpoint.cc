#include "model/checkpoint.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/mapped_file.h"
#include "formats/gguf/reader.h"
#include "formats/safetensors/folder.h"
#include "model/checkpoint_state.h"
#include "model/gemma4/audio/config_load.h"
#include "model/gemma4/vision/config_load.h"

namespace pleiad {

namespace fs = std::filesystem;

Checkpoint::Checkpoint(std::unique_ptr<State> state) : state_(std::move(state)) {}
Checkpoint::~Checkpoint() = default;
Checkpoint::Checkpoint(Checkpoint&&) noexcept = default;
Checkpoint& Checkpoint::operator=(Checkpoint&&) noexcept = default;

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
