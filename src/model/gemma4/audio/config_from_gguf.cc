#include <string>

#include "base/text_format.h"
#include "formats/gguf/reader.h"
#include "model/gemma4/audio/config_load.h"
#include "model/gemma4/config_rules.h"
#include "model/gemma4/encoder_gguf.h"
#include "model/gemma4/gguf_keys.h"

namespace pleiad::gemma4 {
namespace {

constexpr std::string_view kFirstTensor = "a.conv1d.0.weight";
constexpr std::string_view kProjectorTensor = "mm.a.input_projection.weight";
constexpr std::string_view kKeys = "clip.audio";

std::string projector_type(const gguf::File& file) {
  const auto type = file.metadata().find_string("clip.audio.projector_type");
  const auto common = file.metadata().find_string("clip.projector_type");
  return std::string(type.value_or(common.value_or(kAudioTowerType)));
}

/// A dimension of a tensor, which the metadata does not repeat.
int dimension(const gguf::File& file, std::string_view name, std::size_t rank, std::size_t index,
              std::int64_t most, ProblemList& problems) {
  const gguf::TensorInfo* info = file.find_tensor(name);
  if (info == nullptr) {
    problems.add("tensor '{}' is missing", name);
    return 1;
  }
  if (info->shape.size() != rank || info->shape[index] < 1 || info->shape[index] > most) {
    problems.add("tensor '{}': expected {} dimensions of at most {}, found {}", name, rank, most,
                 to_string(info->shape));
    return 1;
  }
  return static_cast<int>(info->shape[index]);
}

/// An embedder's frame is as long as the rows of its matrix; the keys of layers are there for
/// readers that ask for them, and mean nothing.
AudioConfig embedder_from_gguf(const gguf::File& file, const Keys& keys, const Config& text,
                               ProblemList& problems) {
  const int frame = dimension(file, kProjectorTensor, 2, 1, kMaxModelDim, problems);
  if (const int bands = keys.integer("num_mel_bins", 1, kMaxModelDim, frame); bands != frame) {
    problems.add(
        "metadata key 'clip.audio.num_mel_bins': expected {} (the columns of '{}'), found {}",
        frame, kProjectorTensor, bands);
  }
  return audio_embedder(frame, projection_dim(keys, kKeys, text, problems));
}

}  // namespace

bool has_audio_tower(const gguf::File& file) {
  if (projector_type(file) == kAudioEmbedderType) {
    return file.find_tensor(kProjectorTensor) != nullptr;
  }
  return file.find_tensor(kFirstTensor) != nullptr &&
         file.metadata().contains(fmt::format("{}.block_count", kKeys));
}

AudioConfig audio_config_from_gguf(const gguf::File& file, const Config& text,
                                   ProblemList& problems) {
  // The projector of another architecture would be read as ours and say nonsense.
  const std::string found = projector_type(file);
  if (found != kAudioTowerType && found != kAudioEmbedderType) {
    problems.add("metadata key 'clip.audio.projector_type': expected {} or {}, found '{}'",
                 kAudioTowerType, kAudioEmbedderType, printable(found));
  }
  const Keys keys(file.metadata(), kKeys, problems);
  if (found == kAudioEmbedderType) return embedder_from_gguf(file, keys, text, problems);
  AudioConfig config;
  config.softplus_applied = true;
  config.hidden_dim = keys.integer("embedding_length", 1, kMaxModelDim);
  config.ffn_dim = keys.integer("feed_forward_length", 1, kMaxFfnDim);
  config.n_layers = keys.integer("block_count", 1, kMaxLayers);
  config.n_heads = keys.integer("attention.head_count", 1, kMaxHeads);
  if (const int bands = keys.integer("num_mel_bins", 1, kMaxModelDim, kMelBands);
      bands != kMelBands) {
    problems.add("metadata key 'clip.audio.num_mel_bins': expected {}, found {}", kMelBands, bands);
  }
  // The epsilon of the metadata is that of a vision tower in files of older converters: 1e-6 holds.
  config.model_dim = projection_dim(keys, kKeys, text, problems);
  config.conv_channels[0] = dimension(file, kFirstTensor, 4, 0, kMaxModelDim, problems);
  config.conv_channels[1] = dimension(file, "a.conv1d.1.weight", 4, 0, kMaxModelDim, problems);
  config.conv_kernel = dimension(file, "a.blk.0.conv_dw.weight", 2, 1, 64, problems);
  config.output_dim = dimension(file, "a.pre_encode.out.weight", 2, 0, kMaxModelDim, problems);
  config.clipped_linears = has_clip_bounds(file, "a.blk.");
  check_audio_config(config, problems);
  return config;
}

SoundTokens sound_tokens_from_gguf(const gguf::File& file) {
  const auto tokens = tokens_spelled(file, {"<|audio>", "<|audio|>", "<audio|>"});
  return {tokens[0], tokens[1], tokens[2]};
}

std::string audio_tower_problem(const AudioConfig& config) {
  if (config.is_embedder()) return {};
  if (config.conv_channels[0] != kMelBands) {
    return fmt::format(
        "has an audio tower whose first convolution has {} channels: expected {}, as many as bands",
        config.conv_channels[0], kMelBands);
  }
  if (config.chunk != config.window()) {
    return fmt::format(
        "has an audio tower that attends in chunks of {} frames with {} before them: expected {}",
        config.chunk, config.context_left, config.chunk + 1);
  }
  return {};
}

void check_audio_config(const AudioConfig& config, ProblemList& problems) {
  if (config.is_embedder()) return;
  if (config.hidden_dim % config.n_heads != 0) {
    problems.add("{} heads do not divide the audio tower's width of {}", config.n_heads,
                 config.hidden_dim);
  }
  // Rooms for what is computed of one head are of this size.
  if (constexpr int kMost = 1'024; config.head_dim() > kMost) {
    problems.add("the audio tower's heads have {} dimensions, more than {}", config.head_dim(),
                 kMost);
  }
  if (config.hidden_dim % 2 != 0 || config.hidden_dim < 4) {
    problems.add("the audio tower's width of {} is no even number from 4", config.hidden_dim);
  }
}

}  // namespace pleiad::gemma4
