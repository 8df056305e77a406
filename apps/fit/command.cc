// pleiad fit: which model, as which type, on this machine or another.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>

#include "apps/commands.h"
#include "apps/common/choices.h"
#include "apps/common/model_flags.h"
#include "apps/common/number_range.h"
#include "apps/common/output.h"
#include "apps/fit/fit_report.h"
#include "apps/fit/report.h"
#include "base/output_file.h"
#include "fit/plot.h"

namespace pleiad::apps {
namespace {

struct FitFlags {
  FitAsk ask;
  bool published = false;
  bool json = false;
  std::string plot;
};

void write_plot(const std::string& path, fit::Question question, const FitFlags& flags,
                const fit::Machine& machine) {
  if (flags.ask.types.empty()) question.types = {convert::FileType::q4_0};
  const std::string svg = chart::to_svg(fit::decode_chart(question, machine));
  OutputFile file(path);
  file.write(std::as_bytes(std::span(svg)));
  file.finish();
}

int run_published(const FitFlags& flags, const Environment& environment) {
  const fit::Question question = question_of(flags.ask);
  if (!flags.plot.empty()) {
    write_plot(flags.plot, question, flags, report_of_machine(flags.ask, environment).machine);
  }
  print(flags.json ? published_as_json(question) : published_as_text(question));
  return 0;
}

int run_fit(const FitFlags& flags, const Environment& environment) {
  if (flags.published) return run_published(flags, environment);
  const FitReport report = fit_report(flags.ask, environment);
  if (!flags.plot.empty()) write_plot(flags.plot, report.question, flags, report.machine);
  print(flags.json ? fit_as_json(report) : fit_as_text(report));
  return 0;
}

void add_machine_flags(CLI::App& command, FitFlags& flags) {
  const CLI::Validator positive = number_between(1e-3, 1e9);
  CLI::Option* bandwidth =
      command
          .add_option("--bandwidth", flags.ask.bandwidth,
                      "Of another machine, which is not measured: what it reads from memory")
          ->check(positive)
          ->type_name("GB/S");
  CLI::Option* memory =
      command
          .add_option("--memory", flags.ask.memory,
                      "Its memory; a tenth, and 2 GiB at least, is left to the system")
          ->check(positive)
          ->type_name("GIB");
  CLI::Option* compute =
      command
          .add_option("--compute", flags.ask.compute,
                      "Its matrix rate in bf16; without it rates of prompts are unknown")
          ->check(positive)
          ->type_name("TFLOP/S");
  bandwidth->needs(memory);
  memory->needs(bandwidth);
  compute->needs(bandwidth);
  command
      .add_option("--threads,-t", flags.ask.threads,
                  "Threads to measure with (default: all physical cores)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N")
      ->excludes(bandwidth);
}

void add_question_flags(CLI::App& command, FitFlags& flags) {
  command
      .add_option("--model", flags.ask.models,
                  "Only these: e2b, e4b, 12b, 26b-a4b, 31b (default: all)")
      ->delimiter(',')
      ->type_name("e2b|e4b|12b|26b-a4b|31b,...");
  command
      .add_option("--type", flags.ask.types,
                  "Only these: " + convert::known_file_types() + " (default: all)")
      ->delimiter(',')
      ->type_name(choice_names(convert::known_file_types()) + ",...");
  command
      .add_option("--ctx,-c,--ctx-size,--num-ctx", flags.ask.context,
                  "Tokens of the conversation (default: 8192)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 30))
      ->type_name("N");
  choose_among(command.add_option("--kv-type", flags.ask.kv_type,
                                  std::string(kKvTypeHelp) + " (default: bf16)"),
               kv_types());
}

/// The published table has nothing to do with most options; its plot draws this machine or
/// another, and lines of a type.
void refuse_beside_published(const CLI::App& command) {
  if (command.count("--published") == 0) return;
  const bool plots = command.count("--plot") > 0;
  for (const char* option : {"--ctx", "--kv-type", "--compute"}) {
    if (command.count(option) == 0) continue;
    throw CLI::ValidationError(option, "has no meaning with --published");
  }
  for (const char* option : {"--type", "--bandwidth", "--memory", "--threads"}) {
    if (plots || command.count(option) == 0) continue;
    throw CLI::ValidationError(option, "has no meaning with --published, unless --plot is given");
  }
}

}  // namespace

void add_fit_command(CLI::App& app, const Environment& environment, std::function<int()>& chosen) {
  auto flags = std::make_shared<FitFlags>();
  CLI::App* command = app.add_subcommand(
      "fit", "Say which model fits this machine, how fast it will be, and which one to take");
  add_question_flags(*command, *flags);
  add_machine_flags(*command, *flags);
  command->add_flag("--published", flags->published,
                    "Print instead what others measured and published, with sources, beside "
                    "predictions");
  command
      ->add_option("--plot", flags->plot,
                   "Also draw decode rate over bandwidth: a line for each model (in the first "
                   "--type, else q4_0), this machine, published rates")
      ->type_name("FILE.svg");
  command->add_flag("--json", flags->json, "Print JSON");
  command->footer(
      "Nothing is downloaded or loaded: sizes follow from the models' shapes, rates from the\n"
      "machine's read bandwidth and matrix rate, which take a few seconds to measure.\n"
      "\"answer\" is the rate of generated tokens at first, then that at the end of the context.\n"
      "tight: needs more than 85% of the free memory, or is slower than reading (5 tokens/s).\n"
      "docs/fit.md has the formulas, which of their constants are measured and which estimated,\n"
      "and how far off predictions were.\n"
      "Example:\n  pleiad fit --ctx 32768 --kv-type q8_0\n"
      "  pleiad fit --bandwidth 273 --memory 128 --model e4b,26b-a4b --type q4_0,q8_0\n"
      "  pleiad fit --plot fit.svg");
  command->callback([command, flags, &environment, &chosen] {
    refuse_beside_published(*command);
    chosen = [flags, &environment] { return run_fit(*flags, environment); };
  });
}

}  // namespace pleiad::apps
