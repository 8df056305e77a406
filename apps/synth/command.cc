// pleiad synth: a file like a real model's, with random weights.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "apps/commands.h"
#include "apps/common/choices.h"
#include "apps/common/interrupt.h"
#include "apps/common/output.h"
#include "apps/common/progress_bar.h"
#include "apps/common/usage_error.h"
#include "backend/cpu/processors.h"
#include "base/text_format.h"
#include "model/gemma4/projector_file.h"
#include "synthetic/spec.h"
#include "synthetic/tower.h"
#include "synthetic/write.h"

namespace pleiad::apps {
namespace {

struct SynthFlags {
  std::string model;
  std::string type;
  std::string file;
  std::string head;
  std::string per_layer_table;
  std::string per_layer_gates;
  std::string vision;
  std::string audio;
  std::string projector;
  std::uint64_t seed = 1;
  int layers = 0;
  int threads = 0;
};

synthetic::Spec spec_of(const SynthFlags& flags) {
  synthetic::Spec spec = synthetic::make_spec(flags.model, flags.type);
  if (!flags.head.empty()) spec.head = synthetic::parse_type(flags.head, "--head");
  if (!flags.per_layer_table.empty()) {
    spec.per_layer_table = synthetic::parse_type(flags.per_layer_table, "--ple");
  }
  if (!flags.per_layer_gates.empty()) {
    spec.per_layer_gates = synthetic::parse_type(flags.per_layer_gates, "--gates");
  }
  spec.seed = flags.seed;
  if (flags.layers > spec.model->n_layers) {
    throw Error("--layers: {} has {}", spec.model->name, spec.model->n_layers);
  }
  spec.n_layers = flags.layers;
  return spec;
}

/// How the towers are stored, if any is written.
synthetic::ProjectorTypes tower_types(const SynthFlags& flags, const synthetic::Spec& spec) {
  synthetic::ProjectorTypes types;
  if (!flags.vision.empty()) types.vision = synthetic::parse_type(flags.vision, "--vision");
  if (!flags.audio.empty()) {
    types.audio = synthetic::parse_type(flags.audio, "--audio");
    if (!gemma4::audio_config_of(*spec.model)) {
      throw Error("--audio: {} has no audio tower", spec.model->name);
    }
  }
  if (!flags.projector.empty() && !types.vision && !types.audio) {
    throw Error("--mmproj: give --vision or --audio too, the type of a tower");
  }
  return types;
}

std::filesystem::path projector_place(const SynthFlags& flags) {
  if (!flags.projector.empty()) return flags.projector;
  return gemma4::projector_path_beside(flags.file);
}

std::string written_text(const SynthFlags& flags, const synthetic::Spec& spec, std::uint64_t size) {
  std::string text =
      fmt::format("{}: {} with random weights, {} ({}; head {}", flags.file, spec.model->name,
                  format_bytes(size), name(spec.type), name(spec.head));
  if (spec.model->per_layer_dim > 0) {
    text += fmt::format(", per-layer embeddings {}", name(spec.per_layer_table));
  }
  if (spec.n_layers > 0) text += fmt::format("; {} layers only", spec.n_layers);
  return text + fmt::format("), seed {}\n", spec.seed);
}

/// "mmproj-e2b.gguf: its vision tower (bf16) and its audio tower (q8_0) with random weights, 0.7
/// GB"
std::string towers_text(const std::string& file, const synthetic::ProjectorTypes& types,
                        std::uint64_t size) {
  std::string towers;
  if (types.vision) towers += fmt::format("its vision tower ({})", name(*types.vision));
  if (types.audio) {
    towers +=
        fmt::format("{} audio tower ({})", towers.empty() ? "its" : " and its", name(*types.audio));
  }
  return fmt::format("{}: {} with random weights, {}\n", file, towers, format_bytes(size));
}

int synth(const SynthFlags& flags) {
  const synthetic::Spec spec = as_usage([&] { return spec_of(flags); });
  const synthetic::ProjectorTypes towers = as_usage([&] { return tower_types(flags, spec); });
  synthetic::WriteOptions options;
  options.n_threads = flags.threads > 0 ? flags.threads : cpu::usable_processors();
  ProgressBar bar("writing", ProgressBar::Unit::bytes, true);
  const InterruptGuard guard;
  InterruptGuard::clear();
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    InterruptGuard::throw_if_pressed();
    bar.update(done, total);
  };
  std::string file = flags.file;  // being written
  try {
    const std::uint64_t size = synthetic::write_file(file, spec, options);
    bar.clear();
    print_note(written_text(flags, spec, size));
    if (!towers.vision && !towers.audio) return 0;
    file = projector_place(flags).string();
    const std::uint64_t towers_size = synthetic::write_projector(file, spec, towers, options);
    bar.clear();
    print_note(towers_text(file, towers, towers_size));
  } catch (const Interrupted&) {
    bar.clear();
    print_note(fmt::format("pleiad: stopped; {} was not written\n", file));
    return InterruptGuard::exit_status();
  }
  return 0;
}

}  // namespace

void add_synth_command(CLI::App& app, std::function<int()>& chosen) {
  auto flags = std::make_shared<SynthFlags>();
  CLI::App* command = app.add_subcommand(
      "synth", "Write a model file of the real size with random weights, to measure speed with");
  command->add_option("MODEL", flags->model, "e2b, e4b, 12b, 26b-a4b or 31b")
      ->required()
      ->type_name("e2b|e4b|12b|26b-a4b|31b");
  command
      ->add_option("TYPE", flags->type,
                   fmt::format("How the layers' matrices are stored: {}", synthetic::known_types()))
      ->required()
      ->type_name(choice_names(synthetic::known_types()));
  command->add_option("FILE", flags->file, "The GGUF file to write")->required();
  command
      ->add_option("--head", flags->head,
                   "Type of the token embedding, which is the head too (default: q6_k)")
      ->type_name(choice_names(synthetic::known_types()));
  command
      ->add_option("--ple", flags->per_layer_table,
                   "Type of the table of per-layer embeddings (default: q8_0)")
      ->type_name(choice_names(synthetic::known_types()));
  command
      ->add_option("--gates", flags->per_layer_gates,
                   "Type of each layer's gate and projection of its per-layer input (default: "
                   "q8_0)")
      ->type_name(choice_names(synthetic::known_types()));
  command
      ->add_option("--layers", flags->layers,
                   "Only the first so many layers of the text model, for a small file")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command
      ->add_option("--vision", flags->vision,
                   "Write a vision tower too, its matrices as this type, into a projector file: "
                   "mmproj-NAME.gguf beside FILE")
      ->type_name(choice_names(synthetic::known_types()));
  command
      ->add_option("--audio", flags->audio,
                   "Write an audio tower too, into the same file; of e2b, e4b and 12b")
      ->type_name(choice_names(synthetic::known_types()));
  command->add_option("--mmproj", flags->projector, "The projector file to write instead")
      ->type_name("FILE");
  command->add_option("--seed", flags->seed, "The same seed gives the same file")
      ->capture_default_str()
      ->type_name("N");
  command
      ->add_option("--threads,-t", flags->threads,
                   "Threads to make weights with (default: all processors)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command->footer(
      "Such a model is as fast as a real one and says nothing that makes sense.\n"
      "In files of bf16, f16 and q8_0 the three defaults are that type, and with nvfp4 they are\n"
      "bf16, as in published files. Matrices whose columns the blocks of a type do not fit are\n"
      "stored as q8_0 (of the text model) or bf16. 'pleiad convert' makes a folder of both files.\n"
      "Examples:\n"
      "  pleiad synth e2b q4_0 e2b-random.gguf            3.9 GB\n"
      "  pleiad synth e4b q4_k e4b-random.gguf --head q4_k\n"
      "  pleiad synth 31b q4_0 31b-random.gguf --layers 6 --vision bf16\n"
      "  pleiad synth e2b q4_0 e2b-random.gguf --vision bf16 --audio bf16");
  command->callback([flags, &chosen] { chosen = [flags] { return synth(*flags); }; });
}

}  // namespace pleiad::apps
