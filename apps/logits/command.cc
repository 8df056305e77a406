// pleiad logits: what the model computes for given tokens or for a conversation with pictures, for
// comparison with another engine.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <optional>

#include "apps/commands.h"
#include "apps/common/model_flags.h"
#include "apps/common/model_location.h"
#include "apps/common/output.h"
#include "apps/logits/compute.h"
#include "apps/logits/prompt_file.h"
#include "base/error.h"
#include "formats/npy/writer.h"
#include "model/checkpoint.h"

namespace pleiad::apps {
namespace {

struct LogitsFlags {
  ModelFlags model;
  std::string tokens;
  std::string tokens_file;
  std::string input;
  std::string out;
  bool generated = false;
  std::string router_out;
};

/// Writes what the routers say beside the logits; nothing where nobody asked.
class RouterFile {
 public:
  RouterFile(const LogitsFlags& flags, const gemma4::Config& config, std::int64_t n_tokens) {
    if (flags.router_out.empty()) return;
    if (!config.experts) {
      throw Error("--router-out: {} has no experts, and so no router", flags.model.model);
    }
    writer_.emplace(flags.router_out, n_tokens,
                    std::int64_t{config.n_layers()} * config.experts->n_experts);
  }

  std::function<void(std::span<const float>)> take() {
    if (!writer_) return {};
    return [this](std::span<const float> rows) { writer_->write(rows); };
  }
  void finish() {
    if (writer_) writer_->finish();
  }

 private:
  std::optional<npy::Writer> writer_;
};

using ReadPrompt = std::function<PromptFileTokens(const std::filesystem::path& file,
                                                  const Checkpoint& checkpoint)>;

int write_logits(const LogitsFlags& flags, const ReadPrompt& read_prompt,
                 const Environment& environment) {
  const store::ModelEntry entry = find_model_entry(flags.model.model, environment);
  const Checkpoint checkpoint =
      Checkpoint::open(entry.path, {.projector = flags.model.with_projector_of(entry).projector});
  PromptFileTokens prompt;
  if (flags.input.empty()) {
    prompt.tokens = read_tokens(flags.tokens, flags.tokens_file, flags.model, checkpoint);
  } else {
    prompt = read_prompt(flags.input, checkpoint);
    check_length(prompt.tokens.size(), flags.model, checkpoint);
  }
  const auto n_tokens = static_cast<std::int64_t>(prompt.tokens.size());
  const int vocab_size = checkpoint.config().vocab_size;
  npy::Writer writer(flags.out, n_tokens, vocab_size);
  RouterFile router(flags, checkpoint.config(), n_tokens);
  const LogitsOptions options = {flags.generated ? Phase::generation : Phase::prompt,
                                 router.take()};
  const std::string backend = compute_logits(
      flags.model, environment, checkpoint, {prompt.tokens, prompt.media},
      [&](std::span<const float> rows) { writer.write(rows); }, options);
  writer.finish();
  router.finish();
  print_note(fmt::format("{}: float32 [{}, {}], {}\n", flags.out, n_tokens, vocab_size, backend));
  return 0;
}

}  // namespace

void add_logits_command(CLI::App& app, const Environment& environment, std::function<int()>& chosen,
                        ReadPrompt read_prompt) {
  auto flags = std::make_shared<LogitsFlags>();
  flags->model.kv_type = KvType::f32;
  CLI::App* command = app.add_subcommand(
      "logits", "Write the logits of every given token (after the softcap) as a NumPy file");
  flags->model.add_to(*command);
  CLI::Option* list =
      command->add_option("--tokens", flags->tokens, "Token ids: 2,45,107")->type_name("IDS");
  CLI::Option* file =
      command->add_option("--tokens-file", flags->tokens_file, "A file with token ids")
          ->type_name("FILE");
  list->excludes(file);
  CLI::Option* input = nullptr;
  if (read_prompt) {
    input = command
                ->add_option("--input", flags->input,
                             "A JSON file with a conversation: {\"messages\": [...]}; a part "
                             "{\"type\": \"image\", \"image\": PATH} is a picture, the path "
                             "relative to the file")
                ->type_name("FILE")
                ->excludes(list)
                ->excludes(file);
  }
  command->add_option("--out", flags->out, "The .npy file to write: float32 [n_tokens, vocab]")
      ->required()
      ->type_name("FILE");
  CLI::Option* generated = command->add_flag(
      "--generated", flags->generated,
      "Compute one token after the other, as generated ones are; else as a prompt");
  if (input) generated->excludes(input);
  command
      ->add_option("--router-out", flags->router_out,
                   "Also write what the routers say: float32 [n_tokens, n_layers * n_experts]")
      ->type_name("FILE");
  command->footer(
      "The cache of keys and values is f32 here unless --kv-type says otherwise.\n"
      "Examples:\n  pleiad logits demo --tokens 2,105,107 --out logits.npy" +
      std::string(input ? "\n  pleiad logits gemma-4-E2B-it --input prompt.json --out logits.npy"
                        : ""));
  command->callback([flags, list, file, input, read_prompt, &environment, &chosen] {
    if (list->count() + file->count() + (input ? input->count() : 0) == 0) {
      throw CLI::RequiredError(input ? "--tokens, --tokens-file or --input"
                                     : "--tokens or --tokens-file");
    }
    chosen = [flags, read_prompt, &environment] {
      return write_logits(*flags, read_prompt, environment);
    };
  });
}

}  // namespace pleiad::apps
