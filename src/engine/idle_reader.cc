#include "engine/idle_reader.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "engine/compute_turn.h"

namespace pleiad {
namespace {

// Whoever comes meanwhile waits for no more than that many rows, which take little longer than one.
constexpr std::int64_t kSliceRows = 32;
constexpr std::size_t kMostTexts = 8;

}  // namespace

void IdleReader::add(CacheScope scope, std::vector<text::TokenId> tokens,
                     std::vector<PromptMedia> media) {
  pause();
  texts_.push_front({scope, std::move(tokens), std::move(media)});
  if (texts_.size() > kMostTexts) texts_.pop_back();
}

void IdleReader::pause() {
  if (!use_) return;
  const Text& text = texts_.front();
  const auto n = static_cast<std::size_t>(use_->sequence->length());
  try {
    memory_.keep_end(*use_, {std::span(text.tokens).first(n), text.media});
  } catch (const std::exception&) {
    // Its end is computed again.
  }
  memory_.end(*use_);
  use_.reset();
}

void IdleReader::clear() {
  pause();
  texts_.clear();
}

// False where the first text is done with: all of it is cached, or it cannot be read.
bool IdleReader::begin() {
  const Text& text = texts_.front();
  const std::int64_t n = std::ssize(text.tokens);
  auto started = memory_.start(text.view(), n, n, CacheUse{text.scope});
  if (!started) return false;
  const std::int64_t n_cached = started->use->sequence->length();
  const bool lacks_media = !text.media.empty() && text.media.back().end() > n_cached;
  if (lacks_media || n_cached + 1 >= n) {
    memory_.end(*started->use);
    return false;
  }
  use_ = std::move(started->use);
  return true;
}

IdleReader::Left IdleReader::advance() {
  if (texts_.empty()) return Left::nothing;
  if (turn_ && (turn_->has_answers() || turn_->n_waiting() > 0)) return Left::later;
  try {
    while (!use_ && !begin()) {
      texts_.pop_front();
      if (texts_.empty()) return Left::nothing;
    }
    read_slice();
  } catch (...) {
    if (use_) memory_.end(*use_);
    use_.reset();
    texts_.pop_front();
    throw;
  }
  // Where others' pages have taken the place of its beginning, the rest cannot be kept either.
  if (!use_->fills_cache || use_->sequence->length() == std::ssize(texts_.front().tokens)) {
    pause();
    texts_.pop_front();
  }
  return Left::some;
}

void IdleReader::read_slice() {
  const Text& text = texts_.front();
  const std::int64_t done = use_->sequence->length();
  const std::int64_t most = std::min(kSliceRows, model_.info().max_rows);
  const std::int64_t n = std::min(most, std::ssize(text.tokens) - done);
  memory_.reserve(*use_, n);
  std::unique_lock<ComputeTurn> turn;
  if (turn_) turn = std::unique_lock(*turn_);
  const auto tokens =
      std::span(text.tokens).subspan(static_cast<std::size_t>(done), static_cast<std::size_t>(n));
  const Slice slice = {use_->sequence.get(), tokens, WantLogits::none, Phase::prompt};
  model_.forward({&slice, 1}, memory_.cache());
  memory_.keep_pages(*use_, text.view(), done, done + n);
  n_read_ += static_cast<std::uint64_t>(n);
}

}  // namespace pleiad
