// pleiad bench: how fast a model is here, beside what the machine could do.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "apps/bench/bench_model.h"
#include "apps/bench/progress.h"
#include "apps/bench/report.h"
#include "apps/bench/server_bench.h"
#include "apps/commands.h"
#include "apps/common/choices.h"
#include "apps/common/interrupt.h"
#include "apps/common/model_flags.h"
#include "apps/common/output.h"
#include "apps/common/progress_bar.h"
#include "apps/common/usage_error.h"
#include "synthetic/spec.h"

namespace pleiad::apps {
namespace {

struct BenchFlags {
  BenchAsk ask;
  ServerFlags server;
  ReportFormat format = ReportFormat::table;
};

int run_bench(const BenchFlags& flags, const Environment& environment) {
  std::optional<ProgressBar> loading;
  std::optional<InterruptGuard> guard;
  BenchProgress progress;
  BenchWatch watch;
  watch.loading = [&](std::uint64_t done, std::uint64_t total) {
    if (!loading) loading.emplace("loading", ProgressBar::Unit::bytes, true);
    loading->update(done, total);
  };
  watch.loaded = [&] {
    if (loading) loading->clear();
    loading.reset();
    if (!guard) guard.emplace();  // until here Ctrl-C ends the program: there is nothing to tell
  };
  watch.tests.progress = [&](const std::string& what, std::uint64_t done, std::uint64_t total) {
    progress.update(what, done, total);
  };
  watch.tests.stop = &InterruptGuard::pressed;
  const BenchReport report = bench_model(flags.ask, environment, watch);
  print(format_report(report, flags.format));
  return report.interrupted ? InterruptGuard::exit_status() : 0;
}

/// What is measured here, and how; none of it goes together with --server.
std::vector<CLI::Option*> add_local_flags(CLI::App& command, BenchFlags& flags) {
  CLI::Option* model = command.add_option(
      "MODEL", flags.ask.model,
      "A GGUF file, a Hugging Face folder (config.json and safetensors), or \"demo\"");
  CLI::Option* synthetic =
      command
          .add_option("--synthetic", flags.ask.synthetic,
                      "Instead of MODEL: one of random weights, made in memory: e2b or e4b, and "
                      "the type of its matrices, as in e4b:q4_0")
          ->type_name("MODEL:TYPE");
  synthetic->excludes(model);
  std::vector<CLI::Option*> added = {model, synthetic};
  const auto list = [&](const char* flag, auto& values, const std::string& help) {
    added.push_back(command.add_option(flag, values, help)->delimiter(',')->expected(1, 64));
    return added.back();
  };
  constexpr std::int64_t kMost = std::int64_t{1} << 30;
  const CLI::Range size(std::int64_t{0}, kMost);
  list("--prompt", flags.ask.plan.prompts, "Prompts of so many tokens (default: 512; 0: none)")
      ->check(size)
      ->type_name("N,...");
  list("--generate", flags.ask.plan.generations, "So many generated tokens (default: 64; 0: none)")
      ->check(size)
      ->type_name("N,...");
  list("--depth", flags.ask.plan.depths, "Tokens in the context before (default: 0)")
      ->check(size)
      ->type_name("N,...");
  list("--batch", flags.ask.plan.batches, "Sequences that generate together (default: 1)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{kBenchRows}))
      ->type_name("N,...");
  list("--threads,-t", flags.ask.threads, "Threads to compute with (default: all physical cores)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N,...");
  added.push_back(add_online_flag(command, flags.ask.online));
  added.push_back(add_activations_flag(command, flags.ask.activations));
  choose_among(
      list("--kv-type", flags.ask.plan.kv_types, std::string(kKvTypeHelp) + " (default: bf16)"),
      kv_types(), true);
  return added;
}

/// A model here or a server, and nothing that belongs to the other. (CLI11's own way to say so
/// would be repeated at each flag in --help.)
void check_combination(const std::vector<CLI::Option*>& local,
                       const std::vector<CLI::Option*>& remote) {
  if (remote.empty()) return;
  const CLI::Option* server = remote[0];
  for (const CLI::Option* option : server->count() > 0 ? local : remote) {
    if (option->count() == 0) continue;
    if (server->count() > 0) throw CLI::ExcludesError(server->get_name(), option->get_name());
    throw CLI::RequiresError(option->get_name(), server->get_name());
  }
}

void add_formats(CLI::App& command, ReportFormat& chosen) {
  const auto add = [&](const char* flag, ReportFormat format, const char* help) {
    return command.add_flag_callback(
        flag, [&chosen, format] { chosen = format; }, help);
  };
  CLI::Option* json = add("--json", ReportFormat::json, "Print JSON");
  CLI::Option* csv = add("--csv", ReportFormat::csv, "Print comma-separated values");
  CLI::Option* markdown = add("--markdown", ReportFormat::markdown, "Print Markdown");
  json->excludes(csv)->excludes(markdown);
  csv->excludes(markdown);
}

constexpr const char* kFooter =
    "Names: pp512 evaluates a prompt of 512 tokens, tg64 generates 64, tg64@d4096 does\n"
    "so after 4,096 others, and \"tg64 x8\" for 8 sequences together. Rates are medians,\n"
    "beside the limit of the machine: the bytes that the work needs against the read\n"
    "bandwidth, its operations against the matrix rate (of bytes or of floats, as they\n"
    "are multiplied), whichever takes longer there.\n"
    "Ctrl-C prints what was measured so far.\n";

constexpr const char* kServerFooter =
    "\nWith --server, each model is loaded alone and asked in two shapes with prompts that\n"
    "no cache can know, thinking off. What spoils such numbers (cache hits, loads between\n"
    "the runs, thoughts, early ends, other models, ...) is found and marked.\n";

constexpr const char* kExamples =
    "Examples:\n  pleiad bench demo --prompt 512,2048 --generate 64 --depth 0,4096 --batch 1,8\n"
    "  pleiad bench --synthetic e4b:q4_0      how fast would it be here?";

constexpr const char* kServerExample =
    "\n  pleiad bench --server http://127.0.0.1:11434 --model gemma4:e2b --model gemma4:e4b";

std::string footer(bool has_servers) {
  return std::string(kFooter) + (has_servers ? kServerFooter : "") + kExamples +
         (has_servers ? kServerExample : "");
}

}  // namespace

void add_bench_command(CLI::App& app, const Environment& environment, std::function<int()>& chosen,
                       const ServerBench* servers) {
  auto flags = std::make_shared<BenchFlags>();
  CLI::App* command = app.add_subcommand(
      "bench", std::string("Measure how fast a model is here, beside the limits of the machine") +
                   (servers ? ", or how fast a server is" : ""));
  const std::vector<CLI::Option*> local = add_local_flags(*command, *flags);
  CLI::Option* repetitions = command
                                 ->add_option("--repetitions", flags->ask.run.n_repetitions,
                                              std::string("Repetitions of every test (default: 5") +
                                                  (servers ? "; of a server 3)" : ")"))
                                 ->check(CLI::Range(1, 1000))
                                 ->type_name("N");
  CLI::Option* seed =
      command
          ->add_option("--seed", flags->ask.run.seed,
                       std::string("Of the random tokens (default: 1") +
                           (servers ? "; of a server's prompts another every time)" : ")"))
          ->type_name("N");
  add_formats(*command, flags->format);
  std::vector<CLI::Option*> remote;
  if (servers) remote = servers->add_flags(*command, flags->server);
  command->footer(footer(servers != nullptr));
  command->callback([flags, local, remote, repetitions, seed, servers, &environment, &chosen] {
    check_combination(local, remote);
    if (servers && remote[0]->count() > 0) {
      ServerFlags& asked = flags->server;
      asked.format = flags->format;
      if (repetitions->count() > 0) asked.n_runs = flags->ask.run.n_repetitions;
      if (seed->count() > 0) asked.seed = flags->ask.run.seed;
      chosen = [flags, servers, &environment] { return servers->run(flags->server, environment); };
      return;
    }
    if (local[0]->count() + local[1]->count() == 0) {
      throw CLI::RequiredError(servers ? "MODEL or --synthetic or --server"
                                       : "MODEL or --synthetic");
    }
    if (local[1]->count() > 0) {
      as_usage([&] { return synthetic::parse_spec(flags->ask.synthetic); });
    }
    chosen = [flags, &environment] { return run_bench(*flags, environment); };
  });
}

}  // namespace pleiad::apps
