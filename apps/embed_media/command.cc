// pleiad embed-media: what a tower of a model makes of a picture, of the frames of a video or of a
// sound, for comparison with another engine.

#include "apps/embed_media/embed_media.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "apps/commands.h"
#include "apps/common/model_flags.h"
#include "apps/common/model_location.h"
#include "apps/common/picture_budget.h"
#include "base/error.h"

namespace pleiad::apps {
namespace {

int embed_media(const EmbedMediaFlags& flags, const Environment& environment) {
  if (!flags.audio.empty() && !flags.budget.empty()) {
    throw Error("--tokens-budget is of pictures and videos: a sound takes 25 soft tokens a second");
  }
  const store::ModelEntry entry = find_model_entry(flags.model.model, environment);
  const Checkpoint checkpoint =
      Checkpoint::open(entry.path, {.projector = flags.model.with_projector_of(entry).projector});
  if (flags.audio.empty()) {
    embed_pictures(flags, checkpoint, environment);
  } else {
    embed_sound(flags, checkpoint, environment);
  }
  return 0;
}

}  // namespace

void add_embed_media_command(CLI::App& app, const Environment& environment,
                             std::function<int()>& chosen) {
  auto flags = std::make_shared<EmbedMediaFlags>();
  CLI::App* command = app.add_subcommand(
      "embed-media", "Write the soft tokens of a picture, a video or a sound as a NumPy file");
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
  CLI::Option* image =
      command->add_option("--image", flags->image, "The picture")->type_name("FILE");
  CLI::Option* video =
      command->add_option("--video", flags->video, "A video: its frames, one behind the other")
          ->type_name("FILE");
  CLI::Option* audio = command
                           ->add_option("--audio", flags->audio,
                                        "A sound; what is longer than 30 seconds is heard in "
                                        "consecutive clips")
                           ->type_name("FILE");
  image->excludes(video)->excludes(audio);
  video->excludes(audio);
  command
      ->add_option("--frames", flags->n_frames,
                   "Frames of the video, evenly spread (default: the model's own number)")
      ->needs(video)
      ->check(CLI::Range(1, 10'000))
      ->type_name("N");
  command
      ->add_option(
          "--tokens-budget", flags->budget,
          "How many soft tokens the picture, or a frame, may take; auto: as few as lose no pixels; "
          "without this, the model's own")
      ->type_name(picture_budget_words());
  command
      ->add_option("--out", flags->out, "The .npy file to write: float32 [soft tokens, text width]")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--threads,-t", flags->model.threads,
                   "Threads to compute with (default: all physical cores)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  add_activations_flag(*command, flags->model.activations);
  command->footer("Example:\n  pleiad embed-media gemma-4-E2B-it --image note.jpg --out note.npy");
  command->callback([flags, image, video, audio, &environment, &chosen] {
    if (image->count() + video->count() + audio->count() == 0) {
      throw CLI::RequiredError("--image, --video or --audio");
    }
    chosen = [flags, &environment] { return embed_media(*flags, environment); };
  });
}

}  // namespace pleiad::apps
