// pleiad pull and push: models from and to other machines.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "apps/commands.h"
#include "apps/pull/pull_model.h"
#include "base/text_format.h"
#include "http/authority.h"

namespace pleiad::apps {
namespace {

/// What CLI11 shows of a value that is none; empty where it is one.
std::string problem_of_host(const std::string& text) {
  if (http::parse_authority(text)) return {};
  return fmt::format("expected HOST or HOST:PORT, found '{}'", printable(text));
}

struct TransferFlags {
  std::string model;
  std::string target;  // push: empty: the model's own name
  TransferWishes wishes;
};

void add_transfer_flags(CLI::App& command, TransferWishes& wishes) {
  CLI::Option* quiet =
      command.add_flag("-q,--quiet", wishes.quiet, "Show nothing, ask nothing; print the name");
  command
      .add_flag("--json", wishes.json,
                "Print each step as a line of JSON, as /api/pull does; ask "
                "nothing")
      ->excludes(quiet);
  command
      .add_option("--insecure", wishes.insecure_hosts,
                  "A host that may be asked without https, or whose certificate cannot be checked; "
                  "may be given several times")
      ->type_name("HOST[:PORT]")
      ->check(problem_of_host);
}

}  // namespace

void add_pull_commands(CLI::App& app, const Environment& environment,
                       std::function<int()>& chosen) {
  auto flags = std::make_shared<TransferFlags>();
  CLI::App* pull = app.add_subcommand("pull", "Fetch a model from a registry or from Hugging Face");
  pull->add_option("NAME", flags->model,
                   "gemma4:e2b (`pleiad list --remote` has more), hf.co/USER/REPOSITORY:TYPE, or "
                   "HOST/USER/MODEL:TAG")
      ->required()
      ->type_name("NAME");
  pull->add_flag("-y,--yes", flags->wishes.yes, "Do not ask whether it is to be pulled");
  add_transfer_flags(*pull, flags->wishes);
  pull->footer(
      "Says first what it is, how large, under which license, where it goes, and whether it fits\n"
      "this machine. What was interrupted goes on where it ended. Examples:\n"
      "  pleiad pull gemma4:e2b\n"
      "  pleiad pull hf.co/unsloth/gemma-4-E2B-it-GGUF:Q4_K_M\n"
      "  pleiad pull hf:google/gemma-4-E2B-it@main --yes\n"
      "  pleiad pull localhost:5000/me/demo");
  pull->callback([flags, &environment, &chosen] {
    chosen = [flags, &environment] {
      return pull_model(parse_remote_name(flags->model), flags->wishes, environment).exit_status();
    };
  });

  auto push_flags = std::make_shared<TransferFlags>();
  CLI::App* push = app.add_subcommand("push", "Send a model to a registry");
  push->add_option("MODEL", push_flags->model, "A model's name, as `pleiad list` shows it")
      ->required();
  push->add_option("NAME", push_flags->target,
                   "What it is called there: HOST/USER/MODEL:TAG (default: its own name)")
      ->type_name("NAME");
  add_transfer_flags(*push, push_flags->wishes);
  push->footer(
      "Files that the registry has already are not sent again. Models are not sent to Hugging\n"
      "Face. Example:\n"
      "  pleiad push sober localhost:5000/me/sober:v1");
  push->callback([push_flags, &environment, &chosen] {
    chosen = [push_flags, &environment] {
      const TransferFlags& f = *push_flags;
      return push_model(f.model, parse_remote_name(f.target.empty() ? f.model : f.target), f.wishes,
                        environment)
          .exit_status();
    };
  });
}

}  // namespace pleiad::apps
