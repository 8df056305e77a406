// pleiad embed-media: what the tower of a model makes of a picture, for comparison with another
// engine.

#include <CLI/CLI.hpp>
#include <ctime>
#include <memory>

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
#include "model/checkpoint.h"
#include "model/gemma4/vision/tower.h"

namespace pleiad::apps {
namespace {

constexpr int kTowerRows = 512;  // of one operation

struct EmbedMediaFlags {
  ModelFlags model;
  std::string image;
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

int embed_media(const EmbedMediaFlags& flags, const Environment& environment) {
  const store::ModelEntry entry = find_model_entry(flags.model.model, environment);
  const Checkpoint checkpoint =
      Checkpoint::open(entry.path, {.projector = flags.model.with_projector_of(entry).projector});
  if (checkpoint.vision() == nullptr) {
    throw Error("{}: {} {}", entry.path.string(), checkpoint.config().name,
                checkpoint.vision_problem());
  }
  const media::PreparedPicture picture = read_picture(flags, checkpoint.vision()->default_budget);
  const auto backend = make_backend(flags.model, environment, kTowerRows);
  ProgressBar loading("loading", ProgressBar::Unit::bytes, true);
  gemma4::VisionTower tower(
      checkpoint, *backend, {.max_rows = kTowerRows, .kv_type = KvType::f32},
      [&](std::uint64_t done, std::uint64_t total) { loading.update(done, total); });
  loading.clear();
  const media::PictureSize size = picture.pixels.size;
  const double begun = monotonic_seconds();
  const std::clock_t computed = std::clock();  // by all threads
  const auto soft_tokens =
      encode(tower, make_picture_input(size.width, size.height, picture.pixels.rgb));
  const double seconds = monotonic_seconds() - begun;
  const double processor = static_cast<double>(std::clock() - computed) / CLOCKS_PER_SEC;
  npy::Writer writer(flags.out, picture.n_soft_tokens, tower.info().model_dim);
  writer.write(soft_tokens);
  writer.finish();
  print_note(
      fmt::format("{}: float32 [{}, {}] of {}x{} pixels as {}x{}, at most {} tokens, encoded in "
                  "{:.2f} s ({:.2f} s of processors), {}\n",
                  flags.out, picture.n_soft_tokens, tower.info().model_dim, picture.original.width,
                  picture.original.height, size.width, size.height, picture.budget, seconds,
                  processor, backend->description()));
  return 0;
}

}  // namespace

void add_embed_media_command(CLI::App& app, const Environment& environment,
                             std::function<int()>& chosen) {
  auto flags = std::make_shared<EmbedMediaFlags>();
  CLI::App* command =
      app.add_subcommand("embed-media", "Write a picture's soft tokens as a NumPy file");
  command
      ->add_option("MODEL", flags->model.model,
                   "A model's name (see `pleiad list`), a GGUF file, a Hugging Face folder, or "
                   "\"demo\"")
      ->required();
  command
      ->add_option("--mmproj", flags->model.projector,
                   "The file with the model's vision tower (default: the model's own, or the one "
                   "mmproj file beside a GGUF file)")
      ->type_name("FILE");
  command->add_option("--image", flags->image, "The picture")->required()->type_name("FILE");
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
