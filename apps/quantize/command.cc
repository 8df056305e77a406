// pleiad quantize: a smaller file of a model, and what that cost.

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

#include "apps/commands.h"
#include "apps/common/choices.h"
#include "apps/common/interrupt.h"
#include "apps/common/model_location.h"
#include "apps/common/output.h"
#include "apps/common/usage_error.h"
#include "apps/quantize/calibration.h"
#include "apps/quantize/write_model.h"
#include "base/ascii.h"
#include "base/error.h"
#include "convert/mix.h"
#include "convert/target_check.h"

namespace pleiad::apps {
namespace {

struct QuantizeFlags {
  WriteFlags write;
  std::string type;
  std::vector<std::string> keep;
  quantize::Rounding rounding = quantize::Rounding::search;
  std::string calibrate;
  bool from_quantized = false;
};

/// Bits of a weight in the source below which nothing is worth rounding again.
constexpr double kFewBits = 6;

/// Rounding twice loses twice: said, and refused where little is left to lose.
void judge_source(const Checkpoint& source, const QuantizeFlags& flags) {
  const DType type = source.main_dtype();
  const double bits = 8.0 * traits(type).block_bytes / traits(type).block_size;
  if (bits >= 16) return;
  if (bits < kFewBits && !flags.from_quantized) {
    throw Error(
        "{}: its weights are {}, {:.1f} bits each: what that rounding lost does not come back, and "
        "another one loses more. Take the BF16 checkpoint, or --from-quantized",
        source.path().string(), name(type), bits);
  }
  print_note(
      fmt::format("Note: the weights of {} are {} already. Rounded twice they are "
                  "worse than from the BF16 checkpoint.\n",
                  source.path().string(), name(type)));
}

/// Importance is for types that rounding searches scales of.
void check_calibration(const QuantizeFlags& flags, convert::FileType type) {
  using convert::FileType;
  if (flags.calibrate.empty()) return;
  if (flags.rounding == quantize::Rounding::nearest) {
    throw UsageError("--calibrate: --rounding nearest has no use for it");
  }
  for (const FileType without :
       {FileType::bf16, FileType::f16, FileType::fp8, FileType::fp8_dynamic}) {
    if (type == without) throw UsageError("--calibrate: --type {} has no use for it", flags.type);
  }
  convert::check_is_not_input(flags.write.target, flags.calibrate, "the text that is read");
}

/// A folder with the name of a file would be taken for one.
void refuse_other_container(const QuantizeFlags& flags, convert::FileType type) {
  const std::string extension =
      ascii_lower(std::filesystem::path(flags.write.target).extension().string());
  if (extension != ".gguf" || convert::container_of(type) != convert::Container::folder) return;
  throw UsageError(
      "{}: --type {} makes a Hugging Face folder, not a GGUF file: take a name without .gguf",
      flags.write.target, flags.type);
}

convert::Mix mix_of(const QuantizeFlags& flags) {
  convert::Mix mix;
  mix.type = convert::parse_file_type(flags.type);
  for (const std::string& keep : flags.keep) convert::add_keep(mix, keep);
  return mix;
}

int run_quantize(const QuantizeFlags& flags, const Environment& environment) {
  convert::WriteOptions options;
  options.mix = as_usage([&] { return mix_of(flags); });
  check_calibration(flags, options.mix.type);
  options.rounding = flags.rounding;
  options.compare_rounding = flags.rounding == quantize::Rounding::search;
  const convert::Container container = *convert::container_of(options.mix.type);
  flags.write.set_towers(options, container);  // what is wrong with flags, before all else
  refuse_other_container(flags, options.mix.type);
  refuse_existing(flags.write);
  std::filesystem::path path;
  {
    const Checkpoint source = flags.write.open(environment);
    judge_source(source, flags);
    set_tower_target(flags.write, source, container, options);
    path = source.path();
  }
  // The model that computes is gone before the file is written.
  std::optional<eval::ImportanceMatrix> importance;
  if (!flags.calibrate.empty()) {
    importance = measure_importance_of(path, flags.calibrate, flags.write.threads, environment);
    if (!importance) return InterruptGuard::exit_status();
    options.importance = [&](std::string_view tensor) { return importance->find(tensor); };
  }
  const Checkpoint source = flags.write.open(environment);
  return write_model(flags.write, source, container, options);
}

}  // namespace

void add_quantize_command(CLI::App& app, const Environment& environment,
                          std::function<int()>& chosen) {
  auto flags = std::make_shared<QuantizeFlags>();
  CLI::App* command =
      app.add_subcommand("quantize", "Write a smaller file of a model, and tell what that cost");
  flags->write.add_to(*command);
  command
      ->add_option("--type", flags->type,
                   fmt::format("How weights are stored: {}. The last three make a Hugging Face "
                               "folder, the others a GGUF file",
                               convert::known_file_types()))
      ->required()
      ->type_name(choice_names(convert::known_file_types()));
  command
      ->add_option("--keep", flags->keep,
                   "Another type for a class of tensors: attention, ffn, experts, head (the token "
                   "embedding too, where they are one), embedding, ple (the table of per-layer "
                   "embeddings) or ple_proj (their projections); may be repeated")
      ->type_name("CLASS=TYPE");
  const std::map<std::string, quantize::Rounding> roundings = {
      {"nearest", quantize::Rounding::nearest}, {"search", quantize::Rounding::search}};
  choose_among(command->add_option(
                   "--rounding", flags->rounding,
                   "nearest: the format's plain rule; search: the scales of least squared error, "
                   "large values counting more (default)"),
               roundings);
  command
      ->add_option("--calibrate", flags->calibrate,
                   "A text like those that the model will see: columns of matrices count by what "
                   "meets them in it. Needs the memory that running IN needs")
      ->type_name("FILE");
  command->add_flag("--from-quantized", flags->from_quantized,
                    "Take a source that has less than six bits a weight already");
  command->footer(
      "The towers of a model stay as they are, unless --vision-type and --audio-type say "
      "otherwise;\n"
      "a GGUF file's go into a projector file beside it.\n"
      "Norms and scales stay unrounded. In GGUF files the projections of per-layer inputs, a\n"
      "hundredth of the weights that much depends on, stay in 16 bits unless --keep says\n"
      "otherwise; in folders they are quantized like the other matrices.\n"
      "Errors are root mean squares in relation to those of the weights, measured on every row\n"
      "of matrices of less than 256, and on one of sixteen of the others.\n"
      "Examples:\n"
      "  pleiad quantize ~/models/gemma-4-E4B-it gemma-4-e4b-q4_k_m.gguf --type q4_k_m\n"
      "  pleiad quantize gemma-4-e4b-bf16.gguf small.gguf --type q4_0 --keep ple=q8_0\n"
      "  pleiad quantize ~/models/gemma-4-E4B-it gemma-4-e4b-nvfp4 --type nvfp4a16");
  command->callback([flags, &environment, &chosen] {
    chosen = [flags, &environment] { return run_quantize(*flags, environment); };
  });
}

}  // namespace pleiad::apps
