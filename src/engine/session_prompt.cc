// How a session computes a prompt: what it does not hold already, in chunks, and before each the
// media that it has.

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"
#include "engine/session.h"

namespace pleiad {
namespace {

// Whoever watches wants to see progress, and to be able to stop: a pass over many tokens of a
// large model takes long, and so does a picture. The result is the same bits.
constexpr std::int64_t kWatchedChunk = 128;
constexpr double kWatchedSeconds = 0.1;

}  // namespace

bool Session::compute_prompt(const PromptView& prompt, const OnPrompt& on_prompt,
                             GenerationStats& stats) {
  const ModelInfo& info = model_.model().info();
  const std::span<const PromptMedia> media = prompt.media;
  const std::int64_t chunk = on_prompt ? std::min(kWatchedChunk, info.max_rows) : info.max_rows;
  std::vector<MediaRows> rows(media.size());
  std::size_t first = 0;  // of the media: not computed whole
  auto done = static_cast<std::int64_t>(tokens_.size());
  for (; first < media.size() && media[first].end() <= done; ++first) {
    ++stats.media.of(media[first].tower()).cached;
  }
  PromptProgress progress = {done, prompt.size(), 0, 0};
  for (std::size_t i = first; i < media.size(); ++i) progress.to_encode += media[i].n;
  while (done < prompt.size()) {
    std::int64_t n = std::min(chunk, prompt.size() - done);
    if (info.bidirectional_blocks) n = whole_blocks(media, done, n);
    std::vector<SoftRows> soft;
    for (std::size_t i = first; i < media.size() && media[i].first < done + n; ++i) {
      if (!rows[i]) {
        rows[i] = encode(prompt, i, progress, on_prompt, stats);
        if (!rows[i]) return false;
        progress.encoded += media[i].n;
      }
      soft.push_back(*soft_rows_within(media[i], rows[i], done, n));
    }
    const auto tokens =
        prompt.tokens.subspan(static_cast<std::size_t>(done), static_cast<std::size_t>(n));
    const bool is_last = done + n == prompt.size();
    logits_ = compute(tokens, is_last ? WantLogits::last : WantLogits::none, Phase::prompt, soft);
    for (std::size_t i = first; i < media.size() && media[i].first < done + n; ++i) {
      if (media[i].first >= done) media_.push_back(without_content(media[i]));
    }
    done += n;
    for (; first < media.size() && media[first].end() <= done; ++first) rows[first].reset();
    progress.done = done;
    if (on_prompt && !on_prompt({done, prompt.size()})) return false;
  }
  return true;
}

// `progress`: before it. Null where the caller does not want more.
MediaRows Session::encode(const PromptView& prompt, std::size_t index, PromptProgress progress,
                          const OnPrompt& on_prompt, GenerationStats& stats) {
  const PromptMedia& media = prompt.media[index];
  EncodeStats& encodings = stats.media.of(media.tower());
  MediaEncoder::Want want;
  want.picture = media.picture;
  want.sound = media.sound;
  MediaRows rows = encoder_.find(want);
  if (rows) ++encodings.cached;
  while (!rows) {
    MediaEncoder::Progress part = encoder_.advance(
        want, on_prompt ? kWatchedSeconds : std::numeric_limits<double>::infinity());
    if (part.failure) throw Error("{} {}: {}", media.kind(), index, *part.failure);
    rows = std::move(part.rows);
    if (rows) {
      ++encodings.encoded;
      encodings.seconds += part.seconds;
      continue;
    }
    if (!on_prompt) continue;
    PromptProgress now = progress;
    now.encoded += static_cast<std::int64_t>(part.share * static_cast<double>(media.n));
    if (!on_prompt(now)) {
      encoder_.drop();
      return nullptr;
    }
  }
  const std::int64_t dim = model_.model().info().model_dim;
  if (std::ssize(*rows) != media.n * dim) {
    throw Error("{} {}: the prompt has {} places for its {} soft tokens", media.kind(), index,
                media.n, std::ssize(*rows) / dim);
  }
  return rows;
}

}  // namespace pleiad
