// The stages of a clip's way through the tower, each over all rows, and what a row of each costs.

#include <array>

#include "base/error.h"
#include "model/gemma4/audio/encoding.h"
#include "model/gemma4/tensor_room.h"

namespace pleiad::gemma4 {
namespace {

constexpr int kRowTensors = 4;  // of an encoding: the residual, queries, keys, values

}  // namespace

void check_clip_length(const AudioConfig& config, std::int64_t n_samples) {
  if (n_samples >= config.min_samples && n_samples <= config.max_samples) return;
  throw Error("a clip of {} samples: expected {} to {} ({} a second)", n_samples,
              config.min_samples, config.max_samples, kSoundRate);
}

std::uint64_t AudioTower::encoding_bytes(std::int64_t n_samples) const {
  const std::int64_t n_rows = sound_tokens(config_, n_samples);
  return static_cast<std::uint64_t>(n_samples) * sizeof(float) +
         tensor_room(sound_frames(n_samples), kMelBands) +
         kRowTensors * tensor_room(n_rows, config_.hidden_dim) +
         tensor_room(n_rows, config_.model_dim);
}

std::unique_ptr<MediaEncoding> AudioTower::begin(const SoundInput& sound) {
  check_clip_length(config_, std::ssize(sound.samples));
  return std::make_unique<SoundEncoding>(*this, sound);
}

SoundEncoding::SoundEncoding(AudioTower& tower, const SoundInput& sound)
    : StagedEncoding(tower.source_, tower.backend_, tower.options_.max_rows),
      tower_(tower),
      config_(tower.config_),
      samples_(sound.samples),
      n_frames_(sound_frames(static_cast<std::int64_t>(samples_.size()))),
      n_rows_(sound_tokens(config_, static_cast<std::int64_t>(samples_.size()))),
      features_(static_cast<std::size_t>(n_frames_ * kMelBands)) {
  const std::int64_t dim = config_.hidden_dim;
  const std::array<TensorPart, kRowTensors> parts = {{
      {&residual_, n_rows_, dim},
      {&query_, n_rows_, dim},
      {&key_, n_rows_, dim},
      {&value_, n_rows_, dim},
  }};
  memory_ = allocate_tensors(backend_, parts, Taken::when_written);
  plan(n_rows_ * config_.model_dim, operations(), operations_per_row(Stage::attend));
}

void SoundEncoding::run_stage(std::int64_t first, std::int64_t n) {
  switch (stage_) {
    case Stage::features:
      return compute_features(first, n);
    case Stage::subsample:
      return subsample(first, n);
    case Stage::project:
      return project_queries_keys_values(first, n);
    case Stage::attend:
      return attend_and_gate(first, n);
    case Stage::convolve:
      return convolve(first, n);
    case Stage::output:
      return output_soft_tokens(first, n);
  }
}

bool SoundEncoding::next_stage() {
  switch (stage_) {
    case Stage::features:
      samples_ = {};
      stage_ = Stage::subsample;
      return true;
    case Stage::subsample:
      features_ = {};
      stage_ = Stage::project;
      return true;
    case Stage::project:
      stage_ = Stage::attend;
      return true;
    case Stage::attend:
      stage_ = Stage::convolve;
      return true;
    case Stage::convolve:
      stage_ = ++layer_ < config_.n_layers ? Stage::project : Stage::output;
      return true;
    case Stage::output:
      break;
  }
  memory_.reset();
  return false;
}

double SoundEncoding::operations_per_row(Stage stage) const {
  const double hidden = config_.hidden_dim;
  const double feed_forward = 4.0 * hidden * config_.ffn_dim;
  const double first = config_.conv_channels[0];
  const double second = config_.conv_channels[1];
  switch (stage) {
    case Stage::features:
      return 5.0 * 512 * 9;  // of the FFT
    case Stage::subsample:
      // Two rows of the first map, one of the second.
      return 2.0 * 9 * first * kMelBands + 18.0 * first * second * kSubsampledBands +
             2.0 * second * kSubsampledBands * hidden;
    case Stage::project:
      return feed_forward + 6.0 * hidden * hidden;
    case Stage::attend:
      return 6.0 * hidden * config_.window() + 6.0 * hidden * hidden;
    case Stage::convolve:
      return feed_forward + 2.0 * hidden * hidden;
    case Stage::output:
      break;
  }
  return 2.0 * config_.output_dim * (hidden + config_.model_dim);
}

double SoundEncoding::operations() const {
  const auto n = static_cast<double>(n_rows_);
  const double layer = operations_per_row(Stage::project) + operations_per_row(Stage::attend) +
                       operations_per_row(Stage::convolve);
  return static_cast<double>(n_frames_) * operations_per_row(Stage::features) +
         n * (operations_per_row(Stage::subsample) + config_.n_layers * layer +
              operations_per_row(Stage::output));
}

}  // namespace pleiad::gemma4
