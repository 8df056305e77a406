// pleiad quantize: a smaller file of a model, and what that cost.

#include <CLI/CLI.hpp>
#include <memory>

#include "apps/commands.h"
#include "apps/common/choices.h"
#include "apps/quantize/quantize_model.h"
#include "convert/mix.h"

namespace pleiad::apps {
namespace {

int run_quantize(const QuantizeAsk& ask, const Environment& environment) {
  return report_writing(
      ask.write, [&](const WriteWatch& watch) { return quantize_model(ask, environment, watch); });
}

}  // namespace

void add_quantize_command(CLI::App& app, const Environment& environment,
                          std::function<int()>& chosen) {
  auto flags = std::make_shared<QuantizeAsk>();
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
