#include "apps/eval/flags.h"

#include <CLI/CLI.hpp>

#include "apps/common/choices.h"
#include "apps/common/model_flags.h"
#include "apps/common/number_range.h"

namespace pleiad::apps {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 30;

void add_text_flags(CLI::App& command, EvalFlags& flags) {
  constexpr const char* kGroup = "Over a text";
  CLI::Option* text =
      command.add_option("--text", flags.text, "Perplexity over the text of this file (UTF-8)")
          ->type_name("FILE")
          ->group(kGroup);
  command
      .add_flag("--control-tokens", flags.control_tokens,
                "What spells a control token in the text is one: for chats in the model's "
                "own form, as `pleiad render` prints them")
      ->needs(text)
      ->group(kGroup);
  CLI::Option* save =
      command
          .add_option("--save-logits", flags.save_logits,
                      "Keep the model's predictions for the text, to compare others with")
          ->needs(text)
          ->type_name("FILE")
          ->group(kGroup);
  CLI::Option* against =
      command
          .add_option(
              "--against", flags.against,
              "KL divergence from the model whose predictions a file keeps; the text and its "
              "windows are those of the file")
          ->type_name("FILE")
          ->group(kGroup);
  command
      .add_option("--save-tail", flags.save_tail,
                  "How much probability --save-logits may leave out of each prediction: less "
                  "makes a larger file (default: 0.0001)")
      ->check(number_between(1e-7, 0.1))
      ->needs(save)
      ->type_name("P")
      ->group(kGroup);
  // Those of a file of predictions are the file's.
  const auto of_windows = [&](CLI::Option* option) {
    return option->needs(text)->excludes(against)->group(kGroup);
  };
  of_windows(command
                 .add_option("--ctx,-c,--ctx-size", flags.windows.context,
                             "Tokens of a window, <bos> among them (default: 1024)")
                 ->check(CLI::Range(std::int64_t{4}, kMost))
                 ->type_name("N"));
  of_windows(command
                 .add_option("--stride", flags.stride,
                             "Tokens from one window to the next (default: half of --ctx)")
                 ->check(CLI::Range(std::int64_t{1}, kMost))
                 ->type_name("N"));
  const std::map<std::string, eval::WindowMethod> methods = {
      {"sliding", eval::WindowMethod::sliding}, {"chunks", eval::WindowMethod::chunks}};
  of_windows(choose_among(
      command.add_option(
          "--method", flags.windows.method,
          "sliding: every token counts once, after at least --ctx less --stride others; "
          "chunks: as llama-perplexity does it (default: sliding)"),
      methods));
  of_windows(
      command
          .add_option("--windows", flags.windows.max_windows, "Only so many windows (default: all)")
          ->check(CLI::Range(std::int64_t{1}, kMost))
          ->type_name("N"));
  choose_among(
      command.add_option("--kv-type", flags.kv_type, std::string(kKvTypeHelp) + " (default: bf16)"),
      kv_types())
      ->group(kGroup);
  add_activations_flag(command, flags.activations)->group(kGroup);
}

void add_battery_flags(CLI::App& command, EvalFlags& flags) {
  constexpr const char* kGroup = "The battery of checks";
  command.add_flag("--battery", flags.battery, "Run it beside what else is asked for")
      ->group(kGroup);
  command.add_option("--checks", flags.checks, "Only these checks; see --list-checks")
      ->delimiter(',')
      ->expected(1, 64)
      ->type_name("NAME,...")
      ->group(kGroup);
  command
      .add_flag("--run-code", flags.run_code,
                "Also run the programs that the model writes, in a sandbox without network "
                "(needs bubblewrap and Python)")
      ->group(kGroup);
  CLI::Option* samples =
      command
          .add_option("--samples", flags.n_samples,
                      "Answers to each question, sampled as the model's own settings say (default: "
                      "one, greedy)")
          ->check(CLI::Range(1, 1000))
          ->type_name("N")
          ->group(kGroup);
  command.add_option("--seed", flags.seed, "Of the samples (default: 1)")
      ->needs(samples)
      ->type_name("N")
      ->group(kGroup);
  command.add_flag("--think", flags.think, "With thinking on")->group(kGroup);
}

}  // namespace

void EvalFlags::add_to(CLI::App& command) {
  command
      .add_option("MODEL", models,
                  "One model, or two to compare: names (see `pleiad list`), GGUF files, Hugging "
                  "Face folders, or \"demo\"")
      ->expected(0, 2);
  command
      .add_option("--mmproj", projector,
                  "The file with the vision tower, of both models where there are two (default: "
                  "the model's own, or the one mmproj file beside a GGUF file)")
      ->type_name("FILE");
  command
      .add_option("--threads,-t", threads, "Threads to compute with (default: all physical cores)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command.add_flag("--json", json, "Print JSON, with every question's answers");
  command.add_flag("-v,--verbose", verbose, "Also say which answers were not right, and why");
  command.add_flag("--list-checks", list, "Say what the battery checks");
  add_text_flags(command, *this);
  add_battery_flags(command, *this);
}

void EvalFlags::check() const {
  if (list) return;
  if (models.empty()) throw CLI::RequiredError("MODEL");
  if (!against.empty() && models.size() == 2) {
    throw CLI::ValidationError("--against",
                               "takes the place of the model to compare with: give "
                               "one MODEL");
  }
  if (!wants_battery() && (n_samples > 1 || think)) {
    throw CLI::ValidationError(think ? "--think" : "--samples",
                               "is of the battery: give --battery or --checks as well");
  }
  if (!save_logits.empty() && models.size() == 2) {
    throw CLI::ValidationError("--save-logits", "keeps the predictions of one MODEL");
  }
  if (stride >= windows.context) {
    throw CLI::ValidationError("--stride", "is to be less than --ctx");
  }
  if (stride > 0 && windows.method == eval::WindowMethod::chunks) {
    throw CLI::ValidationError("--stride", "is of --method sliding");
  }
}

}  // namespace pleiad::apps
