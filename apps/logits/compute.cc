#include "apps/logits/compute.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "apps/common/progress_bar.h"
#include "apps/logits/token_list.h"
#include "base/error.h"
#include "base/text_format.h"
#include "model/gemma4/gemma4.h"

namespace pleiad::apps {

std::vector<std::int32_t> read_tokens(const std::string& tokens, const std::string& tokens_file,
                                      const ModelFlags& flags, const Checkpoint& checkpoint) {
  std::ostringstream text;
  if (tokens_file.empty()) {
    text << tokens;
  } else {
    std::ifstream file(tokens_file);
    if (!file) throw Error("{}: cannot open: {}", tokens_file, errno_text(errno));
    text << file.rdbuf();
  }
  auto ids = parse_token_list(text.str(), checkpoint.config().vocab_size);
  const std::int64_t most =
      flags.context_length > 0 ? flags.context_length : checkpoint.config().context_length;
  if (std::cmp_greater(ids.size(), most)) {
    throw Error("{} tokens were given and the context holds {}", format_count(ids.size()),
                format_count(static_cast<std::uint64_t>(most)));
  }
  return ids;
}

std::string compute_logits(const ModelFlags& flags, const Environment& environment,
                           const Checkpoint& checkpoint, std::span<const std::int32_t> tokens,
                           const std::function<void(std::span<const float>)>& take) {
  // A row of logits of a large vocabulary is a megabyte: few at a time. No
  // tokenizer is needed, so the model is loaded without one.
  constexpr int kRows = 32;
  const auto backend = make_backend(flags, environment, kRows);
  ProgressBar loading("loading", ProgressBar::Unit::bytes, true);
  gemma4::Gemma4 model(
      checkpoint, *backend, {kRows, kRows, flags.online_options()},
      [&](std::uint64_t done, std::uint64_t total) { loading.update(done, total); });
  loading.clear();

  const auto cache = model.make_kv_cache({flags.kv_type, KvCacheOptions().page_tokens});
  KvSequence sequence(*cache);
  ProgressBar computing("computing", ProgressBar::Unit::tokens, true);
  for (std::size_t at = 0; at < tokens.size(); at += kRows) {
    const std::size_t n = std::min<std::size_t>(kRows, tokens.size() - at);
    sequence.reserve(static_cast<std::int64_t>(n));
    const Slice slice = {&sequence, tokens.subspan(at, n), WantLogits::all};
    take(model.forward({&slice, 1}, *cache).values);
    computing.update(at + n, tokens.size());
  }
  return backend->description();
}

}  // namespace pleiad::apps
