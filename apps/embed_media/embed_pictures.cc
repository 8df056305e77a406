#include <ctime>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/common/model_flags.h"
#include "apps/common/output.h"
#include "apps/common/picture_budget.h"
#include "apps/common/progress_bar.h"
#include "apps/embed_media/embed_media.h"
#include "apps/media/helper.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/mapped_file.h"
#include "base/text_format.h"
#include "engine/media/prompt_towers.h"
#include "formats/npy/writer.h"
#include "media/reader.h"
#include "model/gemma4/vision/encoder.h"

namespace pleiad::apps {
namespace {

PictureBudget budget_of(const EmbedMediaFlags& flags) {
  if (flags.budget.empty()) return {};
  const auto read = read_picture_budget(flags.budget);
  if (!read) throw Error("--tokens-budget: {}", read.message());
  return read.value();
}

media::PreparedPicture read_picture(const EmbedMediaFlags& flags, int default_budget) {
  const PictureBudget budget = budget_of(flags);
  const MappedFile file(flags.image);
  media::MediaReader reader(own_media_helper(), {});
  auto picture = reader.prepare_picture(file.bytes(), {budget.of_model(default_budget)});
  if (!picture) throw Error("{}: {}", flags.image, picture.message());
  return std::move(picture).value();
}

media::PreparedVideo read_video(const EmbedMediaFlags& flags, const VisionPrompt& vision) {
  const std::optional<int> budget = budget_of(flags).of_model(vision.video_budget);
  if (!budget) throw Error("--tokens-budget: expected a number for a video, found auto");
  media::VideoOptions options;
  options.n_frames = flags.n_frames > 0 ? flags.n_frames : vision.video_frames;
  options.budget = *budget;
  const MappedFile file(flags.video);
  media::MediaReader reader(own_media_helper(), {});
  auto video = reader.prepare_video(file.bytes(), options);
  if (!video) throw Error("{}: {}", flags.video, video.message());
  return std::move(video).value();
}

/// [soft tokens, model_dim], with progress on the terminal.
std::vector<float> encode_picture(VisionEncoder& tower, const PictureInput& picture) {
  ProgressBar bar("encoding", ProgressBar::Unit::tokens, true);
  const auto n =
      static_cast<std::uint64_t>(tower.info().soft_tokens(picture.width, picture.height));
  const auto encoding = tower.begin(picture);
  while (!encoding->advance(kTowerRows)) {
    bar.update(static_cast<std::uint64_t>(encoding->progress() * static_cast<double>(n)), n);
  }
  return encoding->take();
}

/// What is embedded, and words about it.
struct Pictures {
  std::vector<media::Pixels> pixels;
  std::string said;
};

Pictures read_pictures(const EmbedMediaFlags& flags, const VisionPrompt& vision) {
  Pictures pictures;
  if (flags.video.empty()) {
    media::PreparedPicture picture = read_picture(flags, vision.default_budget);
    pictures.said = fmt::format("{}x{} pixels as {}x{}, at most {} tokens", picture.original.width,
                                picture.original.height, picture.pixels.size.width,
                                picture.pixels.size.height, picture.budget);
    pictures.pixels.push_back(std::move(picture.pixels));
    return pictures;
  }
  media::PreparedVideo video = read_video(flags, vision);
  const media::PictureSize size = video.frames.front().pixels.size;
  pictures.said = fmt::format("{} of {} frames of {}x{} pixels as {}x{}, at most {} tokens each",
                              video.frames.size(), video.total_frames, video.original.width,
                              video.original.height, size.width, size.height, video.budget);
  for (media::VideoFrame& frame : video.frames) pictures.pixels.push_back(std::move(frame.pixels));
  return pictures;
}

}  // namespace

void embed_pictures(const EmbedMediaFlags& flags, const Checkpoint& checkpoint,
                    const Environment& environment) {
  if (checkpoint.vision() == nullptr) {
    throw Error("{}: {} {}", checkpoint.path().string(), checkpoint.config().name,
                checkpoint.vision_problem());
  }
  Pictures pictures = read_pictures(flags, prompt_towers(checkpoint).vision);
  const auto backend = make_backend(flags.model, environment, kTowerRows);
  ProgressBar loading("loading", ProgressBar::Unit::bytes, true);
  const std::unique_ptr<VisionEncoder> tower = gemma4::make_vision_encoder(
      checkpoint, *backend, {.max_rows = kTowerRows, .kv_type = KvType::f32},
      [&](std::uint64_t done, std::uint64_t total) { loading.update(done, total); });
  loading.clear();
  std::int64_t n_soft_tokens = 0;
  for (const media::Pixels& pixels : pictures.pixels) {
    n_soft_tokens += tower->info().soft_tokens(pixels.size.width, pixels.size.height);
  }
  npy::Writer writer(flags.out, n_soft_tokens, tower->info().model_dim);
  double seconds = 0;
  double processor = 0;  // seconds of all threads
  for (media::Pixels& pixels : pictures.pixels) {
    const double begun = monotonic_seconds();
    const std::clock_t computed = std::clock();
    const auto soft_tokens = encode_picture(
        *tower, make_picture_input(pixels.size.width, pixels.size.height, std::move(pixels.rgb)));
    seconds += monotonic_seconds() - begun;
    processor += static_cast<double>(std::clock() - computed) / CLOCKS_PER_SEC;
    writer.write(soft_tokens);
  }
  writer.finish();
  print_note(
      fmt::format("{}: float32 [{}, {}] of {}, encoded in {:.2f} s ({:.2f} s of processors), {}\n",
                  flags.out, n_soft_tokens, tower->info().model_dim, pictures.said, seconds,
                  processor, backend->description()));
}

}  // namespace pleiad::apps
