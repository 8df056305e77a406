#include "apps/logits/compute.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>

#include "apps/common/progress_bar.h"
#include "apps/logits/token_list.h"
#include "base/check.h"
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

namespace {

/// The routers' logits of a forward pass, layer beside layer.
class RouterRows {
 public:
  RouterRows(const gemma4::Config& config, Model& model)
      : n_experts_(config.experts->n_experts),
        width_(std::int64_t{n_experts_} * config.n_layers()) {
    model.set_trace([this](std::string_view name, std::span<const float> values, std::int64_t rows,
                           std::int64_t) {
      if (name.ends_with(".router")) add(values, rows);
    });
  }

  /// [rows, n_layers * n_experts] of the pass that ended; the next one begins anew.
  std::span<const float> take() {
    CHECK(layer_ * n_experts_ == width_, "{} layers had a router", layer_);
    layer_ = 0;
    return values_;
  }

 private:
  void add(std::span<const float> values, std::int64_t rows) {
    values_.resize(static_cast<std::size_t>(rows * width_));
    for (std::int64_t row = 0; row < rows; ++row) {
      std::copy_n(values.begin() + row * n_experts_, n_experts_,
                  values_.begin() + row * width_ + layer_ * n_experts_);
    }
    ++layer_;
  }

  int n_experts_;
  std::int64_t width_;
  std::int64_t layer_ = 0;
  std::vector<float> values_;
};

}  // namespace

std::string compute_logits(const ModelFlags& flags, const Environment& environment,
                           const Checkpoint& checkpoint, std::span<const std::int32_t> tokens,
                           const std::function<void(std::span<const float>)>& take,
                           const LogitsOptions& options) {
  // A row of logits of a large vocabulary is a megabyte: few at a time. No
  // tokenizer is needed, so the model is loaded without one.
  const int most_rows = options.phase == Phase::generation ? 1 : 32;
  const auto backend = make_backend(flags, environment, most_rows);
  ProgressBar loading("loading", ProgressBar::Unit::bytes, true);
  gemma4::Gemma4 model(
      checkpoint, *backend, {most_rows, most_rows, flags.online_options()},
      [&](std::uint64_t done, std::uint64_t total) { loading.update(done, total); });
  loading.clear();

  const auto cache = model.make_kv_cache({flags.kv_type, KvCacheOptions().page_tokens});
  KvSequence sequence(*cache);
  std::optional<RouterRows> router;
  if (options.take_router) router.emplace(checkpoint.config(), model);
  ProgressBar computing("computing", ProgressBar::Unit::tokens, true);
  for (std::size_t at = 0; at < tokens.size();) {
    const std::size_t n =
        std::min<std::size_t>(static_cast<std::size_t>(most_rows), tokens.size() - at);
    sequence.reserve(static_cast<std::int64_t>(n));
    const Slice slice = {&sequence, tokens.subspan(at, n), WantLogits::all, options.phase};
    take(model.forward({&slice, 1}, *cache).values);
    if (router) options.take_router(router->take());
    at += n;
    computing.update(at, tokens.size());
  }
  return backend->description();
}

}  // namespace pleiad::apps
