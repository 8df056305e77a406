// pleiad verify: are the weights what weights can be, and are the logits what they were? And is the
// store what its names say?

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>

#include "apps/commands.h"
#include "apps/common/interrupt.h"
#include "apps/common/model_flags.h"
#include "apps/common/model_location.h"
#include "apps/common/number_range.h"
#include "apps/common/output.h"
#include "apps/common/progress_bar.h"
#include "apps/common/usage_error.h"
#include "apps/logits/compute.h"
#include "apps/verify/report.h"
#include "backend/cpu/processors.h"
#include "base/error.h"
#include "formats/npy/reader.h"

namespace pleiad::apps {
namespace {

struct VerifyFlags {
  ModelFlags model;
  std::string reference;
  std::string tokens;
  std::string tokens_file;
  double max_kl = 1e-3;
  double max_difference = std::numeric_limits<double>::infinity();
  bool strict = false;
  bool store = false;
  bool json = false;
};

verify::Report check_weights(const VerifyFlags& flags, const store::ModelEntry& entry) {
  ProgressBar bar("reading", ProgressBar::Unit::bytes, true);
  verify::Options options;
  options.projector = flags.model.with_projector_of(entry).projector;
  options.n_threads = flags.model.threads > 0 ? flags.model.threads : cpu::usable_cores();
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    InterruptGuard::throw_if_pressed();
    bar.update(done, total);
  };
  return verify::check_model(entry.path, options);
}

void check_row(std::span<const float> row, std::int64_t index, const std::string& file) {
  for (const float value : row) {
    if (!std::isfinite(value)) throw Error("{}: row {} has a logit that is {}", file, index, value);
  }
}

ReferenceResult compare(const VerifyFlags& flags, const store::ModelEntry& entry,
                        const Environment& environment) {
  const npy::File reference = npy::File::open(flags.reference);
  const Checkpoint checkpoint =
      Checkpoint::open(entry.path, {.projector = flags.model.with_projector_of(entry).projector});
  const auto tokens = read_tokens(flags.tokens, flags.tokens_file, flags.model, checkpoint);
  const auto n_tokens = static_cast<std::int64_t>(tokens.size());
  if (reference.rows() != n_tokens || reference.cols() != checkpoint.config().vocab_size) {
    throw Error("{}: expected [{}, {}] (tokens, vocabulary), found [{}, {}]", flags.reference,
                n_tokens, checkpoint.config().vocab_size, reference.rows(), reference.cols());
  }
  ReferenceResult result{flags.reference, {}, {}, flags.max_kl, flags.max_difference};
  std::vector<float> expected(static_cast<std::size_t>(reference.cols()));
  result.backend = compute_logits(
      flags.model, environment, checkpoint, tokens, [&](std::span<const float> rows) {
        for (std::size_t at = 0; at < rows.size(); at += expected.size()) {
          InterruptGuard::throw_if_pressed();
          const std::int64_t row = result.comparison.n_rows;
          reference.read_row(row, expected);
          check_row(expected, row, flags.reference);
          result.comparison.add(expected, rows.subspan(at, expected.size()));
        }
      });
  return result;
}

int verify_model(const VerifyFlags& flags, const Environment& environment) {
  const store::ModelEntry entry = find_model_entry(flags.model.model, environment);
  const InterruptGuard guard;
  InterruptGuard::clear();
  try {
    const verify::Report report = check_weights(flags, entry);
    std::optional<ReferenceResult> reference;
    const bool can_load =
        report.findings.empty() || report.findings.front().kind != verify::Kind::cannot_load;
    if (!flags.reference.empty() && can_load) reference = compare(flags, entry, environment);
    print(flags.json ? verify_json(report, reference) : verify_text(report, reference));
    const bool weights_good = flags.strict ? report.findings.empty() : report.good();
    return weights_good && (!reference || reference->good()) ? 0 : 1;
  } catch (const Interrupted&) {
    print_note("pleiad: stopped\n");
    return InterruptGuard::exit_status();
  }
}

void add_reference_options(CLI::App& command, const std::shared_ptr<VerifyFlags>& flags) {
  CLI::Option* reference =
      command
          .add_option("--reference", flags->reference,
                      "Compare with these logits: a .npy file as `pleiad logits` writes it, "
                      "float32 [n_tokens, vocab]")
          ->type_name("FILE");
  CLI::Option* tokens =
      command.add_option("--tokens", flags->tokens, "The reference's token ids: 2,45,107")
          ->type_name("IDS");
  CLI::Option* file =
      command.add_option("--tokens-file", flags->tokens_file, "A file with these ids")
          ->type_name("FILE");
  tokens->excludes(file)->needs(reference);
  file->needs(reference);
  command.add_option("--max-kl", flags->max_kl, "Largest KL divergence of a row, in nats")
      ->check(number_from(0))
      ->capture_default_str()
      ->needs(reference);
  command
      .add_option("--max-difference", flags->max_difference,
                  "Largest difference of a logit (default: none)")
      ->check(number_from(0))
      ->type_name("X")
      ->needs(reference);
}

/// Flags that only say how logits are computed.
void refuse_what_computes(const CLI::App& command) {
  for (const char* name : {"--ctx", "--kv-type", "--activations", "--online"}) {
    if (command.count(name) > 0) throw CLI::RequiresError(name, "--reference");
  }
}

}  // namespace

void add_verify_command(CLI::App& app, const Environment& environment, std::function<int()>& chosen,
                        std::function<int(const Environment&, bool json)> check_store) {
  auto flags = std::make_shared<VerifyFlags>();
  flags->model.kv_type = KvType::f32;
  CLI::App* command = app.add_subcommand(
      "verify", "Check every tensor of a model, and its logits against reference ones");
  CLI::Option* model = flags->model.add_to(*command)->required(false);
  add_reference_options(*command, flags);
  command->add_flag("--strict", flags->strict, "What is only suspicious is wrong as well");
  if (check_store) {
    command
        ->add_flag("--store", flags->store,
                   "Instead of a model: read Pleiad's own store, and compare each file's SHA-256 "
                   "with its name")
        ->excludes(model);
  }
  command->add_flag("--json", flags->json, "The findings as JSON");
  command->footer(
      "Looked for: values that are NaN or infinite, scales that can be none, tensors, rows and\n"
      "blocks of zeros, tensors of one value, codes that a bad scale leaves unused; in the vision\n"
      "and audio parts and a projector file too. The exit status is 1 where something is wrong.\n"
      "Examples:\n"
      "  pleiad verify ~/models/gemma-4-E2B-it\n" +
      std::string(check_store ? "  pleiad verify --store\n" : "") +
      "  pleiad verify model.gguf --reference logits.npy --tokens 2,105,107");
  command->callback([flags, command, check_store, &environment, &chosen] {
    const bool has_tokens = !flags->tokens.empty() || !flags->tokens_file.empty();
    if (flags->reference.empty()) refuse_what_computes(*command);
    if (!flags->reference.empty() && !has_tokens) {
      throw CLI::RequiredError("--tokens or --tokens-file");
    }
    chosen = [flags, check_store, &environment] {
      if (flags->store) return check_store(environment, flags->json);
      if (flags->model.model.empty()) {
        throw UsageError("verify: expected MODEL{}, found nothing",
                         check_store ? " or --store" : "");
      }
      return verify_model(*flags, environment);
    };
  });
}

}  // namespace pleiad::apps
