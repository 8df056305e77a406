#include "media/sound/mix.h"

#include <cstdint>

namespace pleiad::media {
namespace {

// Exact: powers of two, and 24 bits of an integer have room in a float.
float sample_of(std::uint8_t value) { return (static_cast<float>(value) - 128) / 128; }
float sample_of(std::int16_t value) { return static_cast<float>(value) / 32'768; }
float sample_of(std::int32_t value) { return static_cast<float>(value) / 2'147'483'648.0F; }
float sample_of(std::int64_t value) {
  return static_cast<float>(static_cast<double>(value) / 9'223'372'036'854'775'808.0);
}
float sample_of(float value) { return value; }
float sample_of(double value) { return static_cast<float>(value); }

/// Interleaved: channel c of sample i is at i * n_channels + c of the only plane; planar: at i of
/// plane c.
template <typename Sample>
void append_means(const AVFrame& frame, bool planar, std::vector<float>& samples) {
  const auto n = static_cast<std::size_t>(frame.nb_samples);
  const auto n_channels = static_cast<std::size_t>(frame.ch_layout.nb_channels);
  const std::size_t begin = samples.size();
  samples.resize(begin + n);
  float* const out = samples.data() + begin;
  const std::size_t step = planar ? 1 : n_channels;
  for (std::size_t channel = 0; channel < n_channels; ++channel) {
    const auto* const from =
        reinterpret_cast<const Sample*>(frame.extended_data[planar ? channel : 0]) +
        (planar ? 0 : channel);
    if (channel == 0) {
      for (std::size_t i = 0; i < n; ++i) out[i] = sample_of(from[i * step]);
    } else {
      for (std::size_t i = 0; i < n; ++i) out[i] += sample_of(from[i * step]);
    }
  }
  if (n_channels == 1) return;
  const auto divisor = static_cast<float>(n_channels);
  for (std::size_t i = 0; i < n; ++i) out[i] /= divisor;
}

}  // namespace

bool append_mean_of_channels(const AVFrame& frame, std::vector<float>& samples) {
  const auto format = static_cast<AVSampleFormat>(frame.format);
  switch (format) {
    case AV_SAMPLE_FMT_U8:
    case AV_SAMPLE_FMT_U8P:
      append_means<std::uint8_t>(frame, format == AV_SAMPLE_FMT_U8P, samples);
      return true;
    case AV_SAMPLE_FMT_S16:
    case AV_SAMPLE_FMT_S16P:
      append_means<std::int16_t>(frame, format == AV_SAMPLE_FMT_S16P, samples);
      return true;
    case AV_SAMPLE_FMT_S32:
    case AV_SAMPLE_FMT_S32P:
      append_means<std::int32_t>(frame, format == AV_SAMPLE_FMT_S32P, samples);
      return true;
    case AV_SAMPLE_FMT_S64:
    case AV_SAMPLE_FMT_S64P:
      append_means<std::int64_t>(frame, format == AV_SAMPLE_FMT_S64P, samples);
      return true;
    case AV_SAMPLE_FMT_FLT:
    case AV_SAMPLE_FMT_FLTP:
      append_means<float>(frame, format == AV_SAMPLE_FMT_FLTP, samples);
      return true;
    case AV_SAMPLE_FMT_DBL:
    case AV_SAMPLE_FMT_DBLP:
      append_means<double>(frame, format == AV_SAMPLE_FMT_DBLP, samples);
      return true;
    case AV_SAMPLE_FMT_NONE:
    case AV_SAMPLE_FMT_NB:
      break;
  }
  return false;
}

}  // namespace pleiad::media
