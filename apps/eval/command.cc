// pleiad eval: what a model is worth: perplexity, divergence from another, a battery of checks.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>

#include "apps/commands.h"
#include "apps/common/interrupt.h"
#include "apps/common/model_flags.h"
#include "apps/common/model_location.h"
#include "apps/common/output.h"
#include "apps/common/progress_bar.h"
#include "apps/common/usage_error.h"
#include "apps/common/version.h"
#include "apps/eval/flags.h"
#include "apps/eval/report.h"
#include "base/error.h"
#include "engine/media/media_prompt.h"

namespace pleiad::apps {
namespace {

constexpr int kLogitRows = 64;  // of a pass over a text: 128 MB with a large vocabulary

struct Loaded {
  std::string name;
  RunnableModel runnable;
  LoadedModel& model() const { return *runnable.model; }
};

std::vector<Loaded> load_models(const EvalFlags& flags, const Environment& environment,
                                EvalReport& report) {
  std::vector<Loaded> models;
  for (const std::string& argument : flags.models) {
    ModelFlags of_model;
    of_model.model = argument;
    of_model.threads = flags.threads;
    of_model.activations = flags.activations;
    of_model.projector = flags.projector;
    const store::ModelEntry entry = find_model_entry(argument, environment);
    models.push_back({argument, load_model(of_model.with_projector_of(entry), entry.path,
                                           environment, flags.wants_text() ? kLogitRows : 1)});
    report.models.push_back({argument, describe(models.back().model()), entry.path.string()});
  }
  return models;
}

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (!file) throw Error("{}: cannot open: {}", path, errno_text(errno));
  text << file.rdbuf();
  if (!file || text.view().empty()) throw Error("{}: is empty, or no file", path);
  return std::move(text).str();
}

/// Predictions are of tokens: those of another tokenizer with as many pieces mean nothing.
void refuse_other_tokenizer(const std::string& path, const eval::SavedLogitsReader& against,
                            const Loaded& loaded) {
  const text::Vocabulary& vocabulary = loaded.model().tokenizer().vocabulary();
  if (against.header().tokenizer == vocabulary.fingerprint()) return;
  throw Error(
      "{}: keeps predictions with another tokenizer than that of {}: they cannot be compared", path,
      loaded.name);
}

/// The text as the models see it, or as the saved predictions have it.
std::vector<text::TokenId> text_tokens(const EvalFlags& flags, const std::vector<Loaded>& models,
                                       const std::optional<eval::SavedLogitsReader>& against) {
  if (flags.text.empty()) return against->header().tokens;
  const std::string text = read_text(flags.text);
  const auto encode = [&](const Loaded& loaded) {
    const text::Tokenizer& tokenizer = loaded.model().tokenizer();
    return flags.control_tokens ? tokenizer.encode_with_control(text) : tokenizer.encode_text(text);
  };
  const std::vector<text::TokenId> tokens = encode(models.front());
  if (models.size() == 2 && encode(models[1]) != tokens) {
    throw Error("{} and {} have different tokenizers: they cannot be compared over a text",
                models[0].name, models[1].name);
  }
  if (against && against->header().tokens != tokens) {
    throw Error("{}: keeps predictions for another text than {}", flags.against, flags.text);
  }
  return tokens;
}

text::TokenId bos_of(const Loaded& loaded) {
  const auto bos = loaded.model().tokenizer().vocabulary().bos();
  if (!bos) throw Error("{}: its tokenizer has no <bos>", loaded.name);
  return *bos;
}

eval::WindowOptions windows_of(const EvalFlags& flags, const std::vector<Loaded>& models,
                               const std::optional<eval::SavedLogitsReader>& against) {
  eval::WindowOptions windows = against ? against->header().windows : flags.windows;
  for (const Loaded& loaded : models) {
    const std::int64_t most = loaded.model().model().info().context_length;
    if (windows.context > most) {
      throw Error("{}: windows of {} tokens were asked for; {} supports {}",
                  against ? flags.against : "--ctx", windows.context, loaded.name, most);
    }
  }
  if (against) return windows;
  windows.stride = flags.stride > 0 ? flags.stride : std::max<std::int64_t>(windows.context / 2, 1);
  return windows;
}

/// A bar that also asks for Ctrl-C.
eval::EvalProgress follow(ProgressBar& bar) {
  return [&bar](std::int64_t done, std::int64_t total) {
    bar.update(static_cast<std::uint64_t>(done), static_cast<std::uint64_t>(total));
    return !InterruptGuard::pressed();
  };
}

EvalReport::Text evaluate(const EvalFlags& flags, const std::vector<Loaded>& models) {
  std::optional<eval::SavedLogitsReader> against;
  if (!flags.against.empty()) against = eval::SavedLogitsReader::open(flags.against);
  if (against) refuse_other_tokenizer(flags.against, *against, models.front());
  const std::vector<text::TokenId> tokens = text_tokens(flags, models, against);
  EvalReport::Text text;
  text.source = flags.text.empty() ? flags.against : flags.text;
  text.windows = windows_of(flags, models, against);
  text.kv_type = name(flags.kv_type);

  eval::TextRequest request;
  for (const Loaded& loaded : models)
    request.models.push_back({loaded.name, &loaded.model().model()});
  request.tokens = tokens;
  request.bos = bos_of(models.front());
  request.kv_type = flags.kv_type;
  request.windows = text.windows;
  if (against) request.against = &*against;
  std::unique_ptr<eval::SavedLogitsWriter> save;
  if (!flags.save_logits.empty()) {
    eval::SavedLogitsHeader header;
    header.model = models.front().name;
    header.vocab_size = models.front().model().model().info().vocab_size;
    header.tokenizer = models.front().model().tokenizer().vocabulary().fingerprint();
    header.tail = flags.save_tail;
    header.windows = text.windows;
    header.bos = request.bos;
    header.tokens = tokens;
    save = std::make_unique<eval::SavedLogitsWriter>(flags.save_logits, header);
    request.save = save.get();
  }
  ProgressBar bar("reading the text", ProgressBar::Unit::tokens, true);
  request.progress = follow(bar);
  text.result = eval::evaluate_text(request);
  bar.clear();
  if (save && text.result.complete()) save->finish();
  return text;
}

eval::Answerer answerer_of(LoadedModel& model, Session& session) {
  return [&](const ChatRequest& request, const ReplyObserver& observer) {
    return answer_chat(session, model, request, observer);
  };
}

EvalReport::Battery run_checks(const EvalFlags& flags, const std::vector<eval::Check>& checks,
                               const std::vector<Loaded>& models) {
  EvalReport::Battery battery;
  battery.n_samples = flags.n_samples;
  battery.greedy = flags.n_samples == 1;
  battery.think = flags.think;
  for (const Loaded& loaded : models) {
    LoadedModel& model = loaded.model();
    eval::BatteryRunOptions options;
    options.n_samples = flags.n_samples;
    options.think = flags.think;
    options.generation.sampling = model.sampling_defaults();
    if (battery.greedy) options.generation.sampling.temperature = 0;
    options.generation.sampling.seed = flags.seed;
    options.generation.stop_tokens = model.stop_tokens();
    const PromptTowers towers = prompt_towers(model.checkpoint());
    const auto skipped_for = [&](const std::string& problem) {
      return problem.empty() ? "" : fmt::format("{} {}", loaded.name, problem);
    };
    options.vision = towers.vision;
    options.audio = towers.audio;
    options.blind = skipped_for(towers.vision.problem);
    options.deaf = skipped_for(towers.audio.problem);
    ProgressBar bar(loaded.name, ProgressBar::Unit::answers, true);
    options.progress = follow(bar);
    Session session(model, {flags.kv_type, 0});
    battery.results.push_back(
        eval::run_battery(checks, loaded.name, answerer_of(model, session), options));
    bar.clear();
    if (!battery.results.back().complete) break;
  }
  return battery;
}

std::vector<eval::Check> battery_for(const EvalFlags& flags) {
  eval::BatteryOptions options;
  if (flags.run_code) options.sandbox.emplace();
  return eval::choose_checks(eval::make_battery(options), flags.checks);
}

int list_checks() {
  std::string text;
  for (const eval::Check& check : eval::make_battery({})) {
    text += fmt::format("{:<16} {:>2} questions: {}{}\n", check.name, check.cases.size(),
                        check.what, check.skipped.empty() ? "" : " (--run-code)");
  }
  print(text);
  return 0;
}

int run_eval(const EvalFlags& flags, const Environment& environment) {
  if (flags.list) return list_checks();
  EvalReport report;
  report.program = version_text(environment.isa);
  std::vector<eval::Check> checks;
  if (flags.wants_battery())
    checks = as_usage([&] { return battery_for(flags); });  // what is wrong is said at once
  const std::vector<Loaded> models = load_models(flags, environment, report);
  const InterruptGuard guard;
  if (flags.wants_text()) report.text = evaluate(flags, models);
  if (flags.wants_battery() && !InterruptGuard::pressed()) {
    report.battery = run_checks(flags, checks, models);
  }
  report.interrupted = InterruptGuard::pressed();
  print(flags.json ? eval_report_as_json(report) : eval_report_as_text(report, flags.verbose));
  if (!flags.save_logits.empty()) {
    print_note(fmt::format("{}: {}\n", flags.save_logits,
                           report.text->result.complete()
                               ? "the predictions are kept"
                               : "not written, since the text was not finished"));
  }
  return report.interrupted ? InterruptGuard::exit_status() : 0;
}

}  // namespace

void add_eval_command(CLI::App& app, const Environment& environment, std::function<int()>& chosen) {
  auto flags = std::make_shared<EvalFlags>();
  CLI::App* command = app.add_subcommand(
      "eval", "Judge a model: perplexity, divergence from another, a battery of checks");
  flags->add_to(*command);
  command->footer(
      "Without --text or --against the battery runs: small questions with programmatic\n"
      "graders, each check with a 95 % interval. Two models are compared question by question\n"
      "and token by token; the first is the reference. Ctrl-C prints what was finished.\n"
      "Examples:\n"
      "  pleiad eval demo\n"
      "  pleiad eval demo --checks sums,json --samples 5 -v\n"
      "  pleiad eval model-bf16.gguf model-q4_0.gguf --text book.txt --battery\n"
      "  pleiad eval model-bf16.gguf --text book.txt --save-logits bf16.logits\n"
      "  pleiad eval model-q4_0.gguf --against bf16.logits");
  command->callback([flags, &environment, &chosen] {
    flags->check();
    chosen = [flags, &environment] { return run_eval(*flags, environment); };
  });
}

}  // namespace pleiad::apps
