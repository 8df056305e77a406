// pleiad convert: a model in the other kind of file, value for value.

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "apps/commands.h"
#include "apps/common/model_location.h"
#include "apps/common/usage_error.h"
#include "apps/quantize/write_model.h"
#include "base/error.h"

namespace pleiad::apps {
namespace {

convert::Container container_by_name(const std::filesystem::path& target) {
  std::string extension = target.extension().string();
  for (char& letter : extension) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return extension == ".gguf" ? convert::Container::gguf : convert::Container::folder;
}

struct ConvertFlags {
  WriteFlags write;
  bool dequantize = false;
};

int run_convert(const ConvertFlags& flags, const Environment& environment) {
  const convert::Container container = container_by_name(flags.write.target);
  if (flags.dequantize && container == convert::Container::gguf) {
    throw UsageError(
        "--dequantize: is for folders; 'pleiad quantize --type bf16' writes such a GGUF");
  }
  convert::WriteOptions options;
  flags.write.set_towers(options, container);
  const Checkpoint source = flags.write.open(environment);
  options.mix.type = convert::FileType::as_is;
  options.dequantize = flags.dequantize;
  return report_writing(flags.write, [&](const WriteWatch& watch) {
    return write_model(flags.write, source, container, options, watch);
  });
}

}  // namespace

void add_convert_command(CLI::App& app, const Environment& environment,
                         std::function<int()>& chosen) {
  auto flags = std::make_shared<ConvertFlags>();
  CLI::App* command = app.add_subcommand(
      "convert", "Write a Hugging Face folder as a GGUF file or back, value for value");
  flags->write.add_to(*command);
  command->add_flag("--dequantize", flags->dequantize,
                    "To a folder: write values of quantized weights as BF16, which rounds those of "
                    "most types once more");
  command->footer(
      "Where OUT ends with .gguf it is a GGUF file, else a folder. Weights keep their type;\n"
      "norms, which are F32 in GGUF, keep their values. A folder holds BF16, F16, F32, FP8 and\n"
      "NVFP4; other weights need --dequantize. The towers of a folder become a projector file\n"
      "beside the GGUF file, and those of a GGUF file part of the folder.\n"
      "Examples:\n"
      "  pleiad convert ~/models/gemma-4-E4B-it gemma-4-e4b-bf16.gguf\n"
      "  pleiad convert gemma-4-e4b-bf16.gguf gemma-4-e4b");
  command->callback([flags, &environment, &chosen] {
    chosen = [flags, &environment] { return run_convert(*flags, environment); };
  });
}

}  // namespace pleiad::apps
