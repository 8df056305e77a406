#pragma once

#include <cstdint>
#include <optional>

namespace pleiad::gemma4 {

/// What makes soft tokens of a sound.
enum class AudioKind : std::uint8_t {
  tower,     // layers over frames of mel bands
  embedder,  // 12B: each frame of samples alone through a norm and a matrix
};

/// Everything that decides the shapes and the arithmetic of an audio tower, or of an embedder,
/// which has no layers, heads nor convolutions (0).
struct AudioConfig {
  AudioKind kind = AudioKind::tower;
  int hidden_dim = 0;
  int ffn_dim = 0;
  int n_layers = 0;
  int n_heads = 0;
  int conv_channels[2] = {128, 32};  // of the two convolutions that halve time and bands
  int conv_kernel = 5;           // frames that a layer's convolution reaches over, its own the last
  int chunk = 12;                // frames that the reference attends for at once
  int context_left = 13;         // a frame sees itself and context_left - 2 before it
  float residual_weight = 0.5F;  // of the feed-forwards
  float logit_cap = 50.0F;
  int output_dim = 0;  // of the encoder; of an embedder the samples of a frame
  int model_dim = 0;   // of the text model
  float rms_norm_eps = 1e-6F;
  bool clipped_linears = false;   // inputs and outputs of the layers' matrices have bounds
  bool softplus_applied = false;  // to the scale of queries, as in GGUF files

  /// A clip: fewer samples make no frame, more are another clip.
  std::int64_t min_samples = 161;
  std::int64_t max_samples = 480'000;

  constexpr bool is_embedder() const { return kind == AudioKind::embedder; }
  int head_dim() const { return hidden_dim / n_heads; }
  /// Frames that a frame sees, its own among them.
  int window() const { return context_left - 1; }
  bool operator==(const AudioConfig&) const = default;
};

/// Mel bands of a frame, and what the two convolutions leave of them.
inline constexpr int kMelBands = 128;
inline constexpr int kSubsampledBands = kMelBands / 4;

/// Samples between two frames: 10 ms.
inline constexpr std::int64_t kFrameHop = 160;

/// Frames of so many samples; half a frame lies before the first sample.
constexpr std::int64_t sound_frames(std::int64_t n_samples) {
  constexpr std::int64_t kFirst = 161;  // half a frame and the sample after it
  return n_samples < kFirst ? 0 : (n_samples - kFirst) / kFrameHop + 1;
}

/// Soft tokens of a clip of so many samples: each stands for four frames, or an embedder's for one
/// of its own, whose last may be filled with zeros.
constexpr std::int64_t sound_tokens(const AudioConfig& config, std::int64_t n_samples) {
  if (config.is_embedder()) return (n_samples + config.output_dim - 1) / config.output_dim;
  return ((sound_frames(n_samples) + 1) / 2 + 1) / 2;
}

/// Soft tokens of a clip at most: what the reference's processors call audio_seq_length.
inline constexpr std::int64_t kMostSoundTokens = 750;

/// An embedder of the reference's class, by its only sizes.
inline AudioConfig audio_embedder(int frame_samples, int model_dim, float rms_norm_eps = 1e-6F) {
  AudioConfig config;
  config.kind = AudioKind::embedder;
  config.output_dim = frame_samples;
  config.model_dim = model_dim;
  config.rms_norm_eps = rms_norm_eps;
  config.min_samples = 1;
  config.max_samples = kMostSoundTokens * frame_samples;
  return config;
}

/// The tokens that stand around and for a clip's soft tokens in a prompt.
struct SoundTokens {
  std::optional<std::int32_t> audio_begin;  // <|audio>
  std::optional<std::int32_t> audio;        // <|audio|>
  std::optional<std::int32_t> audio_end;    // <audio|>

  bool operator==(const SoundTokens&) const = default;
};

}  // namespace pleiad::gemma4
