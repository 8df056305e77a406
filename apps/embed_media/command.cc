// pleiad embed-media: what a tower of a model makes of a picture or a sound, for comparison with
// another engine.

#include <CLI/CLI.hpp>
#include <ctime>
#include <memory>
#include <utility>
#include <vector>

#include "apps/commands.h"
#include "apps/common/model_flags.h"
#include "apps/common/model_location.h"
#include "apps/common/output.h"
#include "apps/common/picture_budget.h"
#include "apps/common/progress_bar.h"
#include "apps/media/helper.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/mapped_file.h"
#include "base/text_format.h"
#include "formats/npy/writer.h"
#include "media/reader.h"
#include "media/sound/sound.h"
#include "model/checkpoint.h"
#include "model/gemma4/audio/encoder.h"
#include "model/gemma4/vision/encoder.h"

namespace pleiad::apps {
namespace {

constexpr int kTowerRows = 512;  // of one operation

struct EmbedMediaFlags {
  ModelFlags model;
  std::string image;
  std::string audio;
  std::string budget;
  std::string out;
};

media::PreparedPicture read_picture(const EmbedMediaFlags& flags, int default_budget) {
  PictureBudget budget;
  if (!flags.budget.empty()) {
    const auto read = read_picture_budget(flags.budget);
    if (!read) throw Error("--tokens-budget: {}", read.message());
    budget = read.value();
  }
  const MappedFile file(flags.image);
  media::MediaReader reader(own_media_helper(), {});
  auto picture = reader.prepare_picture(file.bytes(), {budget.of_model(default_budget)});
  if (!picture) throw Error("{}: {}", flags.image, picture.message());
  return std::move(picture).value();
}

/// [soft tokens, model_dim], with progress on the terminal.
std::vector<float> encode(VisionEncoder& tower, const PictureInput& picture) {
  ProgressBar bar("encoding", ProgressBar::Unit::tokens, true);
  const auto n =
      static_cast<std::uint64_t>(tower.info().soft_tokens(picture.width, picture.height));
  const auto encoding = tower.begin(picture);
  while (!encoding->advance(kTowerRows)) {
    bar.update(static_cast<std::uint64_t>(encoding->progress() * static_cast<double>(n)), n);
  }
  return encoding->take();
}

media::PreparedSound read_sound(const EmbedMediaFlags& flags) {
  const MappedFile file(flags.audio);
  media::MediaReader reader(own_media_helper(), {});
  auto sound = reader.prepare_sound(file.bytes(), {});
  if (!sound) throw Error("{}: {}", flags.audio, sound.message());
  return std::move(sound).value();
}

/// [soft tokens of all clips, model_dim], with progress on the terminal.
std::vector<float> encode(AudioEncoder& tower, const std::vector<float>& samples,
                          const std::vector<std::pair<std::int64_t, std::int64_t>>& clips) {
  ProgressBar bar("encoding", ProgressBar::Unit::tokens, true);
  std::vector<float> soft_tokens;
  for (const auto& [begin, end] : clips) {
    const auto encoding =
        tower.begin(make_sound_input({samples.begin() + begin, samples.begin() + end}));
    while (!encoding->advance(kTowerRows)) {
    }
    const std::vector<float> of_clip = encoding->take();
    soft_tokens.insert(soft_tokens.end(), of_clip.begin(), of_clip.end());
    bar.update(static_cast<std::uint64_t>(end), static_cast<std::uint64_t>(clips.back().second));
  }
  return soft_tokens;
}

int embed_sound(const EmbedMediaFlags& flags, const Checkpoint& checkpoint,
                const Environment& environment) {
  if (checkpoint.audio() == nullptr) {
    throw Error("{}: {} {}", checkpoint.path().string(), checkpoint.config().name,
                checkpoint.audio_problem());
  }
  const media::PreparedSound sound = read_sound(flags);
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
  const auto soft_tokens = encode(*tower, sound.samples, clips);
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
  return 0;
}

int embed_picture(const EmbedMediaFlags& flags, const Checkpoint& checkpoint,
                  const Environment& environment) {
  if (checkpoint.vision() == nullptr) {
    throw Error("{}: {} {}", checkpoint.path().string(), checkpoint.config().name,
                checkpoint.vision_problem());
  }
  const media::PreparedPicture picture = read_picture(flags, checkpoint.vision()->default_budget);
  const auto backend = make_backend(flags.model, environment, kTowerRows);
  ProgressBar loading("loading", ProgressBar::Unit::bytes, true);
  const std::unique_ptr<VisionEncoder> encoder = gemma4::make_vision_encoder(
      checkpoint, *backend, {.max_rows = kTowerRows, .kv_type = KvType::f32},
      [&](std::uint64_t done, std::uint64_t total) { loading.update(done, total); });
  loading.clear();
  const media::PictureSize size = picture.pixels.size;
  const double begun = monotonic_seconds();
  const std::clock_t computed = std::clock();  // by all threads
  const auto soft_tokens =
      encode(*encoder, make_picture_input(size.width, size.height, picture.pixels.rgb));
  const double seconds = monotonic_seconds() - begun;
  const double processor = static_cast<double>(std::clock() - computed) / CLOCKS_PER_SEC;
  npy::Writer writer(flags.out, picture.n_soft_tokens, encoder->info().model_dim);
  writer.write(soft_tokens);
  writer.finish();
  print_note(
      fmt::format("{}: float32 [{}, {}] of {}x{} pixels as {}x{}, at most {} tokens, encoded in "
                  "{:.2f} s ({:.2f} s of processors), {}\n",
                  flags.out, picture.n_soft_tokens, encoder->info().model_dim,
                  picture.original.width, picture.original.height, size.width, size.height,
                  picture.budget, seconds, processor, backend->description()));
  return 0;
}

int embed_media(const EmbedMediaFlags& flags, const Environment& environment) {
  const store::ModelEntry entry = find_model_entry(flags.model.model, environment);
  if (flags.image.empty() && flags.audio.empty()) throw Error("needs --image or --audio");
  if (!flags.image.empty() && !flags.audio.empty()) {
    throw Error("--audio takes the place of --image: one of them is embedded");
  }
  if (!flags.audio.empty() && !flags.budget.empty()) {
    throw Error("--tokens-budget is of pictures: a sound takes 25 soft tokens a second");
  }
  const Checkpoint checkpoint =
      Checkpoint::open(entry.path, {.projector = flags.model.with_projector_of(entry).projector});
  return flags.audio.empty() ? embed_picture(flags, checkpoint, environment)
                             : embed_sound(flags, checkpoint, environment);
}

}  // namespace

void add_embed_media_command(CLI::App& app, const Environment& environment,
                             std::function<int()>& chosen) {
  auto flags = std::make_shared<EmbedMediaFlags>();
  CLI::App* command =
      app.add_subcommand("embed-media", "Write a picture's or sound's soft tokens as NumPy");
  command
      ->add_option("MODEL", flags->model.model,
                   "A model's name (see `pleiad list`), a GGUF file, a Hugging Face folder, or "
                   "\"demo\"")
      ->required();
  command
      ->add_option("--mmproj", flags->model.projector,
                   "The file with the model's towers (default: the model's own, or the one "
                   "mmproj file beside a GGUF file)")
      ->type_name("FILE");
  command->add_option("--image", flags->image, "The picture")->type_name("FILE");
  command
      ->add_option("--audio", flags->audio,
                   "The sound, instead of a picture; what is longer than 30 seconds is heard in "
                   "consecutive clips")
      ->type_name("FILE");
  command
      ->add_option(
          "--tokens-budget", flags->budget,
          "How many soft tokens the picture may take; auto: as few as lose no pixels of it; "
          "without this, the model's own")
      ->type_name(kPictureBudgets);
  command
      ->add_option("--out", flags->out, "The .npy file to write: float32 [soft tokens, text width]")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--threads,-t", flags->model.threads,
                   "Threads to compute with (default: all physical cores)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command->footer("Example:\n  pleiad embed-media gemma-4-E2B-it --image note.jpg --out note.npy");
  command->callback([flags, &environment, &chosen] {
    chosen = [flags, &environment] { return embed_media(*flags, environment); };
  });
}

}  // namespace pleiad::apps
