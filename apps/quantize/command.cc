// pleiad quantize: a smaller file of a model, and what that cost.

#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

#include "apps/commands.h"
#include "apps/common/model_location.h"
#include "apps/common/terminal.h"
#include "apps/quantize/calibration.h"
#include "apps/quantize/write_model.h"
#include "base/error.h"
#include "convert/mix.h"

namespace pleiad::apps {
namespace {

struct QuantizeFlags {
  WriteFlags write;
  std::string type;
  std::vector<std::string> keep;
  quantize::Rounding rounding = quantize::Rounding::search;
  std::string calibrate;
};

/// Bits of a weight in the source below which nothing is worth rounding again.
constexpr double kFewBits = 6;

/// Rounding twice loses twice: said, and refused where little is left to lose.
void judge_source(const Checkpoint& source, const QuantizeFlags& flags) {
  const DType type = source.main_dtype();
  const double bits = 8.0 * traits(type).block_bytes / traits(type).block_size;
  if (bits >= 16) return;
  if (bits < kFewBits && !flags.write.force) {
    throw Error(
        "{}: its weights are {}, {:.1f} bits each: what that rounding lost does not come back, and "
        "another one loses more. Take the BF16 checkpoint, or --force",
        source.path().string(), name(type), bits);
  }
  write_all(stderr, fmt::format("Note: the weights of {} are {} already. Rounded twice they are "
                                "worse than from the BF16 checkpoint.\n",
                                source.path().string(), name(type)));
}

int run_quantize(const QuantizeFlags& flags, const Environment& environment) {
  convert::WriteOptions options;
  options.mix.type = convert::parse_file_type(flags.type);
  for (const std::string& keep : flags.keep) convert::add_keep(options.mix, keep);
  options.rounding = flags.rounding;
  options.compare_rounding = flags.rounding == quantize::Rounding::search;
  const std::filesystem::path path = find_model(flags.write.source, environment);
  refuse_existing(flags.write);
  {
    const Checkpoint source = Checkpoint::open(path);
    judge_source(source, flags);
  }
  // The model that computes is gone before the file is written.
  std::optional<eval::ImportanceMatrix> importance;
  if (!flags.calibrate.empty()) {
    importance = measure_importance_of(path, flags.calibrate, flags.write.threads, environment);
    if (!importance) return kStoppedCalibration;
    options.importance = [&](std::string_view tensor) { return importance->find(tensor); };
  }
  const Checkpoint source = Checkpoint::open(path);
  return write_model(flags.write, source, *convert::container_of(options.mix.type), options);
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
      ->type_name("TYPE");
  command
      ->add_option("--keep", flags->keep,
                   "Another type for a class of tensors: attention, ffn, experts, head (the token "
                   "embedding too, where they are one), embedding, ple (the table of per-layer "
                   "embeddings) or ple_proj (their projections); may be repeated")
      ->type_name("CLASS=TYPE");
  const std::map<std::string, quantize::Rounding> roundings = {
      {"nearest", quantize::Rounding::nearest}, {"search", quantize::Rounding::search}};
  command
      ->add_option("--rounding", flags->rounding,
                   "nearest: the format's plain rule; search: the scales of least squared error "
                   "(default)")
      ->transform(CLI::CheckedTransformer(roundings))
      ->option_text("nearest|search");
  command
      ->add_option("--calibrate", flags->calibrate,
                   "A text like those that the model will see: columns of matrices count by what "
                   "meets them in it. Needs the memory that running IN needs")
      ->type_name("FILE");
  command->footer(
      "Norms and scales stay unrounded, and the projections of per-layer inputs, a hundredth of\n"
      "the weights that much depends on, stay in 16 bits unless --keep says otherwise.\n"
      "Errors are root mean squares in relation to those of the weights, measured on one row\n"
      "of sixteen.\n"
      "Examples:\n"
      "  pleiad quantize ~/models/gemma-4-E4B-it gemma-4-e4b-q4_k_m.gguf --type q4_k_m\n"
      "  pleiad quantize gemma-4-e4b-bf16.gguf small.gguf --type q4_0 --keep ple=q8_0\n"
      "  pleiad quantize ~/models/gemma-4-E4B-it gemma-4-e4b-nvfp4 --type nvfp4a16");
  command->callback([flags, &environment, &chosen] {
    chosen = [flags, &environment] { return run_quantize(*flags, environment); };
  });
}

}  // namespace pleiad::apps
