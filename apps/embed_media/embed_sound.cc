#include <utility>
#include <vector>

#include "apps/common/model_flags.h"
#include "apps/common/output.h"
#include "apps/common/progress_bar.h"
#include "apps/embed_media/embed_media.h"
#include "apps/media/helper.h"
#include "base/error.h"
#include "base/mapped_file.h"
#include "base/text_format.h"
#include "formats/npy/writer.h"
#include "media/reader.h"
#include "media/sound/sound.h"
#include "model/gemma4/audio/encoder.h"

namespace pleiad::apps {
namespace {

media::PreparedSound read_sound(const EmbedMediaFlags& flags) {
  const MappedFile file(flags.audio);
  media::MediaReader reader(own_media_helper(), {});
  auto sound = reader.prepare_sound(file.bytes(), {});
  if (!sound) throw Error("{}: {}", flags.audio, sound.message());
  return std::move(sound).value();
}

/// [soft tokens of all clips, model_dim], with progress on the terminal.
std::vector<float> encode_clips(AudioEncoder& tower, media::SoundSamples samples,
                                const std::vector<std::pair<std::int64_t, std::int64_t>>& clips) {
  ProgressBar bar("encoding", ProgressBar::Unit::tokens, true);
  std::vector<float> soft_tokens;
  for (const auto& [begin, end] : clips) {
    const auto encoding = tower.begin(make_sound_input(
        samples.take(static_cast<std::size_t>(begin), static_cast<std::size_t>(end))));
    while (!encoding->advance(kTowerRows)) {
    }
    const std::vector<float> of_clip = encoding->take();
    soft_tokens.insert(soft_tokens.end(), of_clip.begin(), of_clip.end());
    bar.update(static_cast<std::uint64_t>(end), static_cast<std::uint64_t>(clips.back().second));
  }
  return soft_tokens;
}

}  // namespace

void embed_sound(const EmbedMediaFlags& flags, const Checkpoint& checkpoint,
                 const Environment& environment) {
  if (checkpoint.audio() == nullptr) {
    throw Error("{}: {} {}", checkpoint.path().string(), checkpoint.config().name,
                checkpoint.audio_problem());
  }
  media::PreparedSound sound = read_sound(flags);
  const auto n_samples = static_cast<std::int64_t>(sound.samples.size());
  const auto clips = media::sound_clips(n_samples, checkpoint.audio()->max_samples,
                                        checkpoint.audio()->min_samples);
  if (clips.empty()) {
    throw Error("{}: is too short: {} samples at {} a second, at least {} make a soft token",
                flags.audio, n_samples, kSoundRate, checkpoint.audio()->min_samples);
  }
  const auto backend = make_backend(flags.model, environment, kTowerRows);
  ProgressBar loading("loading", ProgressBar::Unit::bytes, true);
  const std::unique_ptr<AudioEncoder> tower = gemma4::make_audio_encoder(
      checkpoint, *backend, {.max_rows = kTowerRows},
      [&](std::uint64_t done, std::uint64_t total) { loading.update(done, total); });
  loading.clear();
  const auto soft_tokens = encode_clips(*tower, std::move(sound.samples), clips);
  const std::int64_t dim = tower->info().model_dim;
  const auto n_tokens = static_cast<std::int64_t>(soft_tokens.size()) / dim;
  npy::Writer writer(flags.out, n_tokens, dim);
  writer.write(soft_tokens);
  writer.finish();
  print_note(fmt::format("{}: float32 [{}, {}] of {:.2f} s of {} in {} clip{}, {}\n", flags.out,
                         n_tokens, dim, sound.seconds, sound.format, clips.size(),
                         clips.size() == 1 ? "" : "s", backend->description()));
  if (const std::int64_t left = n_samples - clips.back().second; left > 0) {
    print_note(fmt::format("the last {} samples are too few for a soft token\n", left));
  }
}

}  // namespace pleiad::apps
