// pleiad fit: which model, as which type, on this machine or another.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>

#include "apps/bench/report.h"
#include "apps/commands.h"
#include "apps/common/choices.h"
#include "apps/common/limit_options.h"
#include "apps/common/model_flags.h"
#include "apps/common/number_range.h"
#include "apps/common/output.h"
#include "apps/common/usage_error.h"
#include "apps/fit/report.h"
#include "backend/cpu/machine_limits.h"
#include "backend/cpu/processors.h"
#include "base/ascii.h"
#include "base/available_memory.h"
#include "base/error.h"
#include "base/output_file.h"
#include "base/text_format.h"
#include "fit/plot.h"

namespace pleiad::apps {
namespace {

struct FitFlags {
  std::vector<std::string> models;
  std::vector<std::string> types;
  std::int64_t context = fit::Question{}.context;
  KvType kv_type = KvType::bf16;
  int threads = 0;
  double bandwidth = 0;  // GB/s; 0: this machine
  double memory = 0;     // GiB
  double compute = 0;    // TFLOP/s; 0: unknown
  bool published = false;
  bool json = false;
  std::string plot;
};

const gemma4::FamilyMember* member_of(const std::string& text) {
  std::string key = ascii_lower(text);
  if (key == "26b") key = "26b-a4b";
  const gemma4::FamilyMember* member = gemma4::find_member(key);
  if (member == nullptr) {
    throw Error("--model: expected e2b, e4b, 12b, 26b-a4b or 31b, found '{}'", printable(text));
  }
  return member;
}

fit::Question question_of(const FitFlags& flags) {
  fit::Question question;
  question.context = flags.context;
  question.kv_type = flags.kv_type;
  for (const gemma4::FamilyMember& member : gemma4::family()) {
    const bool asked =
        flags.models.empty() ||
        std::ranges::any_of(flags.models, [&](const auto& m) { return member_of(m) == &member; });
    if (asked) question.members.push_back(&member);
  }
  for (const std::string& text : flags.types) {
    question.types.push_back(convert::parse_file_type(text));
  }
  if (question.types.empty()) question.types = fit::all_file_types();
  return question;
}

fit::KernelSet kernels_of(cpu::Isa isa) {
  switch (isa) {
    case cpu::Isa::amx:
      return fit::KernelSet::amx;
    case cpu::Isa::avx512:
      return fit::KernelSet::avx512;
    case cpu::Isa::avx2:
    case cpu::Isa::avxvnni:
      return fit::KernelSet::avx2;
    case cpu::Isa::neon:
    case cpu::Isa::i8mm:
      return fit::KernelSet::neon;
    case cpu::Isa::scalar:
      return fit::KernelSet::scalar;
  }
  return fit::KernelSet::unknown;
}

/// Takes a few seconds: twice, because others may use the machine meanwhile.
void measure_this_machine(FitReport& report, const FitFlags& flags,
                          const Environment& environment) {
  const cpu::Isa isa = cpu::pick_isa(environment.isa);
  report.threads = flags.threads > 0 ? flags.threads : cpu::usable_cores();
  report.machine.memory_bytes = available_memory();
  cpu::ThreadPool pool(report.threads);
  const cpu::LimitOptions options = limit_options(environment);
  const cpu::MachineLimits limits = cpu::best_of(cpu::measure_machine_limits(pool, isa, options),
                                                 cpu::measure_machine_limits(pool, isa, options));
  report.machine.name = processor_name();
  report.machine.read_bytes_per_second = limits.read_bytes_per_second;
  report.machine.operations_per_second = limits.float_operations_per_second;
  report.machine.kernels = kernels_of(isa);
  report.instructions = limits.float_instructions;
}

void describe_machine(FitReport& report, const FitFlags& flags) {
  constexpr double kGib = 1024.0 * 1024 * 1024;
  std::optional<double> operations;
  if (flags.compute > 0) operations = flags.compute * 1e12;
  report.machine = fit::described_machine(
      flags.bandwidth * 1e9, static_cast<std::uint64_t>(flags.memory * kGib), operations);
}

void write_plot(const std::string& path, fit::Question question, const FitFlags& flags,
                const fit::Machine& machine) {
  if (flags.types.empty()) question.types = {convert::FileType::q4_0};
  const std::string svg = chart::to_svg(fit::decode_chart(question, machine));
  OutputFile file(path);
  file.write(std::as_bytes(std::span(svg)));
  file.finish();
}

FitReport report_of_machine(const FitFlags& flags, const Environment& environment) {
  FitReport report;
  report.question = as_usage([&] { return question_of(flags); });
  if (flags.bandwidth > 0) {
    describe_machine(report, flags);
  } else {
    measure_this_machine(report, flags, environment);
  }
  return report;
}

int run_published(const FitFlags& flags, const Environment& environment) {
  const fit::Question question = as_usage([&] { return question_of(flags); });
  if (!flags.plot.empty()) {
    write_plot(flags.plot, question, flags, report_of_machine(flags, environment).machine);
  }
  print(flags.json ? published_as_json(question) : published_as_text(question));
  return 0;
}

int run_fit(const FitFlags& flags, const Environment& environment) {
  if (flags.published) return run_published(flags, environment);
  FitReport report = report_of_machine(flags, environment);
  report.answers = fit::answer(report.question, report.machine);
  report.vision = fit::answer_vision(report.question, report.machine);
  report.audio = fit::answer_audio(report.question, report.machine);
  report.recommended = fit::recommend(report.answers);
  if (!flags.plot.empty()) write_plot(flags.plot, report.question, flags, report.machine);
  print(flags.json ? fit_as_json(report) : fit_as_text(report));
  return 0;
}

void add_machine_flags(CLI::App& command, FitFlags& flags) {
  const CLI::Validator positive = number_between(1e-3, 1e9);
  CLI::Option* bandwidth =
      command
          .add_option("--bandwidth", flags.bandwidth,
                      "Of another machine, which is not measured: what it reads from memory")
          ->check(positive)
          ->type_name("GB/S");
  CLI::Option* memory =
      command
          .add_option("--memory", flags.memory,
                      "Its memory; a tenth, and 2 GiB at least, is left to the system")
          ->check(positive)
          ->type_name("GIB");
  CLI::Option* compute =
      command
          .add_option("--compute", flags.compute,
                      "Its matrix rate in bf16; without it rates of prompts are unknown")
          ->check(positive)
          ->type_name("TFLOP/S");
  bandwidth->needs(memory);
  memory->needs(bandwidth);
  compute->needs(bandwidth);
  command
      .add_option("--threads,-t", flags.threads,
                  "Threads to measure with (default: all physical cores)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N")
      ->excludes(bandwidth);
}

void add_question_flags(CLI::App& command, FitFlags& flags) {
  command
      .add_option("--model", flags.models, "Only these: e2b, e4b, 12b, 26b-a4b, 31b (default: all)")
      ->delimiter(',')
      ->type_name("e2b|e4b|12b|26b-a4b|31b,...");
  command
      .add_option("--type", flags.types,
                  "Only these: " + convert::known_file_types() + " (default: all)")
      ->delimiter(',')
      ->type_name(choice_names(convert::known_file_types()) + ",...");
  command
      .add_option("--ctx,-c,--ctx-size,--num-ctx", flags.context,
                  "Tokens of the conversation (default: 8192)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 30))
      ->type_name("N");
  choose_among(
      command.add_option("--kv-type", flags.kv_type, std::string(kKvTypeHelp) + " (default: bf16)"),
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
