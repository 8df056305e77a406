#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backend/backend.h"
#include "model/audio_encoder.h"
#include "model/gemma4/audio/config.h"
#include "model/gemma4/audio/log_mel.h"
#include "model/gemma4/audio/subsampling.h"
#include "model/gemma4/clipped_linear.h"
#include "model/gemma4/encoder_source.h"
#include "model/model.h"

namespace pleiad::gemma4 {

struct AudioOptions {
  /// Rows of one operation, at most as many as the backend was made for.
  int max_rows = 512;
  /// The tensors are loaded by the first encoding, a layer in each call of its advance(), so that
  /// nobody waits for all of them.
  bool load_on_the_way = false;
};

/// Throws Error unless a clip may have so many samples.
void check_clip_length(const AudioConfig& config, std::int64_t n_samples);

struct AudioFeedForward {
  Weight norm;              // [hidden_dim]
  ClippedLinear up_proj;    // [ffn_dim, hidden_dim]
  ClippedLinear down_proj;  // [hidden_dim, ffn_dim]
  Weight post_norm;         // [hidden_dim], times residual_weight
};

struct AudioLayer {
  AudioFeedForward ffn1;
  Weight attention_norm;  // [hidden_dim]
  ClippedLinear q_proj;   // [hidden_dim, hidden_dim], as the following
  ClippedLinear k_proj;
  ClippedLinear v_proj;
  Weight query_scale;  // [head_dim]
  Weight distances;    // [window, hidden_dim]: what a key's distance adds to it
  ClippedLinear o_proj;
  Weight post_attention_norm;  // [hidden_dim]
  Weight conv_norm;            // [hidden_dim]
  ClippedLinear conv_start;    // [2 * hidden_dim, hidden_dim]
  Weight taps;                 // [conv_kernel, hidden_dim], of the frame itself first
  Weight post_conv_norm;       // [hidden_dim]
  ClippedLinear conv_end;      // [hidden_dim, hidden_dim]
  AudioFeedForward ffn2;
  Weight out_norm;  // [hidden_dim]
};

/// The audio tower of a Gemma 4 model and its projector. What an encoding computes stands in
/// encoding.cc, in the order of the model's description.
class AudioTower final : public AudioEncoder {
 public:
  /// Uploads the tensors of the checkpoint's tower, which it must have, to the backend (unless
  /// that is done on the way); both must outlive the tower. Throws LoadError, FileChangedError
  /// among them.
  AudioTower(const Checkpoint& checkpoint, Backend& backend, const AudioOptions& options,
             const LoadProgress& progress = {});
  ~AudioTower() override;

  const AudioEncoderInfo& info() const override { return info_; }
  std::unique_ptr<MediaEncoding> begin(const SoundInput& sound) override;
  std::uint64_t encoding_bytes(std::int64_t n_samples) const override;

 private:
  friend class SoundEncoding;
  class Loader;

  /// Room for a chunk of rows, shared by encodings: a call of advance() leaves nothing in it.
  struct Workspace {
    Tensor patches;  // [max_rows, values of a square of the second convolution]
    Tensor bands;    // [max_rows, channels of the second convolution]
    Tensor merged;   // [max_rows, bands * channels]
    Tensor normed;   // [max_rows, hidden_dim]
    Tensor branch;   // [max_rows, hidden_dim]
    Tensor wide;     // [max_rows, the larger of ffn_dim and 2 * hidden_dim]
    Tensor clipped;  // [max_rows, the widest input of a matrix]
    Tensor encoded;  // [max_rows, output_dim]
    Tensor soft;     // [max_rows, model_dim]
    std::unique_ptr<Buffer> memory;
  };

  /// Loads a part of what is missing; false where nothing is. Throws as the constructor does.
  bool load_next_part();
  void load_ends();
  void load_layer(int index);
  void allocate_workspace();

  EncoderSource source_;
  AudioConfig config_;
  Backend& backend_;
  AudioOptions options_;
  AudioEncoderInfo info_;

  std::unique_ptr<Loader> loader_;  // null once all is loaded
  LogMel log_mel_;
  FirstConvolution conv0_;
  std::vector<float> conv1_values_;  // see ordered_as_squares
  Weight conv1_;                     // [channels, 9 * channels before]
  std::vector<float> conv1_norm_;    // [channels]
  Weight input_proj_;                // [hidden_dim, bands * channels]
  std::vector<AudioLayer> layers_;
  Weight output_proj_;              // [output_dim, hidden_dim]
  std::vector<float> output_bias_;  // [output_dim]
  Weight projector_;                // [model_dim, output_dim]
  // Room on the host for a chunk of rows, as Workspace: rows of the first convolution's map, what
  // the second one multiplies and gives, what the output projection gives.
  std::vector<float> map_;
  std::vector<float> squares_;
  std::vector<float> bands_;
  std::vector<float> encoded_;
  Workspace work_;
};

}  // namespace pleiad::gemma4
