#include "media/sound/sound_track.h"

#include "media/sound/resampler.h"
#include "media/sound/sound_decoder.h"
#include "media/streams/bad_stream.h"

namespace pleiad::media {

std::optional<PreparedSound> read_sound_track(StreamInput& input, const SoundLimits& limits) {
  const AVStream* track = input.choose(AVMEDIA_TYPE_AUDIO);
  // One that FFmpeg can make nothing of is told by its name.
  if (track == nullptr) track = input.first(AVMEDIA_TYPE_AUDIO);
  if (track == nullptr) return std::nullopt;
  PreparedSound sound;
  std::optional<Resampler> resampler;
  const DecodedSound decoded = decode_sound(
      input, *track, limits, [&](int rate) { resampler.emplace(rate); },
      [&](std::span<const float> samples) { resampler->add(samples, sound.samples); });
  resampler->finish(sound.samples);
  sound.format = describe(input.format(), track->codecpar->codec_id);
  sound.original_rate = decoded.rate;
  sound.original_channels = decoded.channels;
  sound.seconds = static_cast<double>(sound.samples.size()) / kSoundRate;
  return sound;
}

}  // namespace pleiad::media
