// pleiad logits: what the model computes for given tokens, for comparison with
// another engine.

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "apps/commands.h"
#include "apps/common/model_flags.h"
#include "apps/common/model_location.h"
#include "apps/common/progress_bar.h"
#include "apps/common/terminal.h"
#include "apps/logits/token_list.h"
#include "base/error.h"
#include "base/text_format.h"
#include "formats/npy/writer.h"
#include "model/gemma4/gemma4.h"

namespace pleiad::apps {
namespace {

struct LogitsFlags {
  ModelFlags model;
  std::string tokens;
  std::string tokens_file;
  std::string out;
};

std::string read_tokens(const LogitsFlags& flags) {
  if (flags.tokens_file.empty()) return flags.tokens;
  std::ifstream file(flags.tokens_file);
  std::ostringstream text;
  if (!file) throw Error("{}: cannot open: {}", flags.tokens_file, errno_text(errno));
  text << file.rdbuf();
  return text.str();
}

int write_logits(const LogitsFlags& flags, const Environment& environment) {
  // A row of logits of a large vocabulary is a megabyte: few at a time. No
  // tokenizer is needed, so the model is loaded without one.
  constexpr int kRows = 32;
  const Checkpoint checkpoint = Checkpoint::open(find_model(flags.model.model, environment));
  const std::vector<std::int32_t> tokens =
      parse_token_list(read_tokens(flags), checkpoint.config().vocab_size);
  const auto n_tokens = static_cast<std::int64_t>(tokens.size());
  const std::int64_t most = flags.model.context_length > 0 ? flags.model.context_length
                                                           : checkpoint.config().context_length;
  if (n_tokens > most) {
    throw Error("{} tokens were given and the context holds {}", format_count(tokens.size()),
                format_count(static_cast<std::uint64_t>(most)));
  }
  const auto backend = make_backend(flags.model, environment, kRows);
  ProgressBar loading("loading", ProgressBar::Unit::bytes, true);
  gemma4::Gemma4 model(
      checkpoint, *backend, {kRows, kRows, flags.model.online_options()},
      [&](std::uint64_t done, std::uint64_t total) { loading.update(done, total); });
  loading.clear();

  npy::Writer writer(flags.out, n_tokens, model.info().vocab_size);
  const auto cache = model.make_kv_cache({flags.model.kv_type, KvCacheOptions().page_tokens});
  KvSequence sequence(*cache);
  ProgressBar computing("computing", ProgressBar::Unit::tokens, true);
  for (std::size_t at = 0; at < tokens.size(); at += kRows) {
    const std::size_t n = std::min<std::size_t>(kRows, tokens.size() - at);
    sequence.reserve(static_cast<std::int64_t>(n));
    const Slice slice = {&sequence, std::span(tokens).subspan(at, n), WantLogits::all};
    writer.write(model.forward({&slice, 1}, *cache).values);
    computing.update(at + n, tokens.size());
  }
  writer.finish();
  computing.clear();
  write_all(stderr, fmt::format("{}: float32 [{}, {}], {}\n", flags.out, n_tokens,
                                model.info().vocab_size, backend->description()));
  return 0;
}

}  // namespace

void add_logits_command(CLI::App& app, const Environment& environment,
                        std::function<int()>& chosen) {
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
  command->add_option("--out", flags->out, "The .npy file to write: float32 [n_tokens, vocab]")
      ->required()
      ->type_name("FILE");
  command->footer(
      "The cache of keys and values is f32 here unless --kv-type says otherwise.\n"
      "Example:\n  pleiad logits demo --tokens 2,105,107 --out logits.npy");
  command->callback([flags, list, file, &environment, &chosen] {
    if (list->count() + file->count() == 0) {
      throw CLI::RequiredError("--tokens or --tokens-file");
    }
    chosen = [flags, &environment] { return write_logits(*flags, environment); };
  });
}

}  // namespace pleiad::apps
