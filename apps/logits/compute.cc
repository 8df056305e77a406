#include "apps/logits/compute.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>

#include "apps/common/progress_bar.h"
#include "apps/logits/token_list.h"
#include "base/check.h"
#include "base/error.h"
#include "base/text_format.h"
#include "engine/media/media_encoder.h"
#include "model/gemma4/audio/encoder.h"
#include "model/gemma4/gemma4.h"
#include "model/gemma4/vision/encoder.h"

namespace pleiad::apps {

std::vector<std::int32_t> read_tokens(const std::string& tokens, const std::string& tokens_file,
                                      const ModelFlags& flags, const Checkpoint& checkpoint) {
  std::ostringstream text;
  if (tokens_file.empty()) {
    text << tokens;
  } else {
    std::ifstream file{std::filesystem::path(tokens_file)};
    if (!file) throw Error("{}: cannot open: {}", tokens_file, errno_text(errno));
    text << file.rdbuf();
  }
  auto ids = parse_token_list(text.str(), checkpoint.config().vocab_size);
  check_length(ids.size(), flags, checkpoint);
  return ids;
}

void check_length(std::size_t n_tokens, const ModelFlags& flags, const Checkpoint& checkpoint) {
  const std::int64_t most =
      flags.context_length > 0 ? flags.context_length : checkpoint.config().context_length;
  if (std::cmp_greater(n_tokens, most)) {
    throw Error("{} tokens were given and the context holds {}", format_count(n_tokens),
                format_count(static_cast<std::uint64_t>(most)));
  }
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

/// The towers that a prompt's media need, each loaded when the first of them comes to it.
class Towers {
 public:
  Towers(const ModelFlags& flags, const Checkpoint& checkpoint, Backend& backend, int most_rows)
      : kv_type_(flags.kv_type),
        checkpoint_(checkpoint),
        backend_(backend),
        most_rows_(most_rows) {}

  MediaTowers use() {
    return {.vision = [this]() -> VisionEncoder& { return vision(); },
            .audio = [this]() -> AudioEncoder& { return audio(); }};
  }

 private:
  VisionEncoder& vision() {
    if (!vision_) {
      ProgressBar bar("loading the vision tower", ProgressBar::Unit::bytes, true);
      vision_ = gemma4::make_vision_encoder(
          checkpoint_, backend_, {.max_rows = most_rows_, .kv_type = kv_type_}, follow(bar));
      bar.clear();
    }
    return *vision_;
  }
  AudioEncoder& audio() {
    if (!audio_) {
      ProgressBar bar("loading the audio tower", ProgressBar::Unit::bytes, true);
      audio_ =
          gemma4::make_audio_encoder(checkpoint_, backend_, {.max_rows = most_rows_}, follow(bar));
      bar.clear();
    }
    return *audio_;
  }
  static LoadProgress follow(ProgressBar& bar) {
    return [&bar](std::uint64_t done, std::uint64_t total) { bar.update(done, total); };
  }

  KvType kv_type_;
  const Checkpoint& checkpoint_;
  Backend& backend_;
  int most_rows_;
  std::unique_ptr<VisionEncoder> vision_;
  std::unique_ptr<AudioEncoder> audio_;
};

/// What the towers make of each medium. They are gone when all are done.
std::vector<MediaRows> encode_media(const ModelFlags& flags, const Checkpoint& checkpoint,
                                    Backend& backend, int most_rows,
                                    std::span<const PromptMedia> media) {
  std::vector<MediaRows> rows;
  if (media.empty()) return rows;
  Towers towers(flags, checkpoint, backend, most_rows);
  // One that stands in several places is encoded once.
  MediaEncoder encoder(towers.use(), std::numeric_limits<std::uint64_t>::max());
  ProgressBar encoding("encoding", ProgressBar::Unit::tokens, true);
  std::int64_t total = 0;
  for (const PromptMedia& one : media) total += one.n;
  std::int64_t done = 0;
  for (const PromptMedia& one : media) {
    MediaEncoder::Want want;
    want.picture = one.picture;
    want.sound = one.sound;
    MediaRows made = encoder.find(want);
    while (!made) {
      auto progress = encoder.advance(want, 0.2);
      if (progress.failure) throw Error("{} {}: {}", one.kind(), rows.size(), *progress.failure);
      made = std::move(progress.rows);
      const double all = static_cast<double>(done) + progress.share * static_cast<double>(one.n);
      encoding.update(static_cast<std::uint64_t>(all), static_cast<std::uint64_t>(total));
    }
    rows.push_back(std::move(made));
    done += one.n;
  }
  return rows;
}

/// The longest picture, where all of it has to lie in one pass.
int longest_block(const Checkpoint& checkpoint, std::span<const PromptMedia> media) {
  std::int64_t longest = 0;
  if (!checkpoint.config().bidirectional_blocks) return 0;
  for (const PromptMedia& one : media) {
    if (one.is_block()) longest = std::max(longest, one.n);
  }
  return static_cast<int>(longest);
}

}  // namespace

std::string compute_logits(const ModelFlags& flags, const Environment& environment,
                           const Checkpoint& checkpoint, const PromptView& prompt,
                           const std::function<void(std::span<const float>)>& take,
                           const LogitsOptions& options) {
  // A row of logits of a large vocabulary is a megabyte: few at a time, also where a picture makes
  // a pass long. No tokenizer is needed, so the model is loaded without one.
  const bool generates = options.phase == Phase::generation;
  CHECK(!generates || prompt.media.empty());
  const int logit_rows = generates ? 1 : 32;
  const int most_rows = std::max(logit_rows, longest_block(checkpoint, prompt.media));
  const int tower_rows = prompt.media.empty() ? most_rows : std::max(512, most_rows);
  const auto backend = make_backend(flags, environment, tower_rows);
  const std::vector<MediaRows> rows =
      encode_media(flags, checkpoint, *backend, tower_rows, prompt.media);
  ProgressBar loading("loading", ProgressBar::Unit::bytes, true);
  gemma4::Gemma4 model(
      checkpoint, *backend, {most_rows, logit_rows, flags.online_options()},
      [&](std::uint64_t done, std::uint64_t total) { loading.update(done, total); });
  loading.clear();

  const auto cache = model.make_kv_cache({flags.kv_type, KvCacheOptions().page_tokens});
  KvSequence sequence(*cache);
  std::optional<RouterRows> router;
  if (options.take_router) router.emplace(checkpoint.config(), model);
  ProgressBar computing("computing", ProgressBar::Unit::tokens, true);
  for (std::int64_t at = 0; at < prompt.size();) {
    std::int64_t n = std::min<std::int64_t>(most_rows, prompt.size() - at);
    if (model.info().bidirectional_blocks) n = whole_blocks(prompt.media, at, n);
    std::vector<SoftRows> soft;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (const auto part = soft_rows_within(prompt.media[i], rows[i], at, n))
        soft.push_back(*part);
    }
    sequence.reserve(n);
    Slice slice = {&sequence,
                   prompt.tokens.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(n)),
                   WantLogits::all, options.phase};
    slice.soft = soft;
    if (n > logit_rows) slice.take_logits = &take;
    const Logits logits = model.forward({&slice, 1}, *cache);
    if (!slice.take_logits) take(logits.values);
    if (router) options.take_router(router->take());
    at += n;
    computing.update(static_cast<std::uint64_t>(at), prompt.tokens.size());
  }
  return backend->description();
}

}  // namespace pleiad::apps
