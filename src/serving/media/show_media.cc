#include "serving/media/show_media.h"

#include <utility>

namespace pleiad::serving {
namespace {

std::vector<std::shared_ptr<const SoundInput>> clips_of(media::SoundSamples samples,
                                                        const AudioPrompt& audio,
                                                        const MediaHold& hold) {
  std::vector<std::shared_ptr<const SoundInput>> clips;
  for (const auto& [begin, end] :
       media::sound_clips(std::ssize(samples), audio.tower.max_samples, audio.tower.min_samples)) {
    clips.push_back(
        hold.sound(samples.take(static_cast<std::size_t>(begin), static_cast<std::size_t>(end))));
  }
  return clips;
}

}  // namespace

MediaHold plain_hold() {
  return {.picture =
              [](media::Pixels pixels) {
                return std::make_shared<const PictureInput>(make_picture_input(
                    pixels.size.width, pixels.size.height, std::move(pixels.rgb)));
              },
          .sound =
              [](std::vector<float> samples) {
                return std::make_shared<const SoundInput>(make_sound_input(std::move(samples)));
              }};
}

ShownMedia show(media::PreparedPicture picture, const VisionPrompt& vision, const MediaHold& hold) {
  return shown_picture(hold.picture(std::move(picture.pixels)), vision);
}

ShownMedia show(media::PreparedSound sound, const AudioPrompt& audio, const MediaHold& hold) {
  return shown_sound(clips_of(std::move(sound.samples), audio, hold), audio);
}

ShownMedia show(media::PreparedVideo video, const PromptTowers& towers, const MediaHold& hold) {
  std::vector<ShownFrame> frames;
  frames.reserve(video.frames.size());
  for (media::VideoFrame& frame : video.frames) {
    frames.push_back({frame.seconds, hold.picture(std::move(frame.pixels))});
  }
  std::vector<std::shared_ptr<const SoundInput>> clips;
  if (video.sound && towers.audio.hears()) {
    clips = clips_of(std::move(video.sound->samples), towers.audio, hold);
  }
  return shown_video(frames, towers.vision, clips, towers.audio);
}

std::int64_t unheard_samples(std::int64_t n_samples, const AudioPrompt& audio) {
  const auto clips =
      media::sound_clips(n_samples, audio.tower.max_samples, audio.tower.min_samples);
  return n_samples - (clips.empty() ? 0 : clips.back().second);
}

}  // namespace pleiad::serving
