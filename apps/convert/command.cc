// pleiad convert: a model in the other kind of file, value for value.

#include <filesystem>
#include <memory>

#include "apps/commands.h"
#include "apps/common/model_location.h"
#include "apps/quantize/write_model.h"

namespace pleiad::apps {
namespace {

convert::Container container_by_name(const std::filesystem::path& target) {
  return target.extension() == ".gguf" ? convert::Container::gguf : convert::Container::folder;
}

int run_convert(const WriteFlags& flags, const Environment& environment) {
  const Checkpoint source = Checkpoint::open(find_model(flags.source, environment));
  convert::WriteOptions options;
  options.mix.type = convert::FileType::as_is;
  return write_model(flags, source, container_by_name(flags.target), options);
}

}  // namespace

void add_convert_command(CLI::App& app, const Environment& environment,
                         std::function<int()>& chosen) {
  auto flags = std::make_shared<WriteFlags>();
  CLI::App* command = app.add_subcommand(
      "convert", "Write a Hugging Face folder as a GGUF file or back, value for value");
  flags->add_to(*command);
  command->footer(
      "Where OUT ends with .gguf it is a GGUF file, else a folder. Weights keep their type;\n"
      "norms, which are F32 in GGUF, keep their values.\n"
      "Examples:\n"
      "  pleiad convert ~/models/gemma-4-E4B-it gemma-4-e4b-bf16.gguf\n"
      "  pleiad convert gemma-4-e4b-bf16.gguf gemma-4-e4b");
  command->callback([flags, &environment, &chosen] {
    chosen = [flags, &environment] { return run_convert(*flags, environment); };
  });
}

}  // namespace pleiad::apps
