#include "engine/media/prompt_media.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace pleiad {

PromptMedia without_content(const PromptMedia& media) {
  if (media.sound) {
    auto known = std::make_shared<SoundInput>();
    known->digest = media.sound->digest;
    return {media.first, media.n, nullptr, std::move(known)};
  }
  auto known = std::make_shared<PictureInput>();
  known->digest = media.picture->digest;
  known->width = media.picture->width;
  known->height = media.picture->height;
  return {media.first, media.n, std::move(known), nullptr};
}

std::optional<std::string> media_places_error(const PromptView& prompt,
                                              std::int64_t longest_block) {
  std::int64_t end = 0;  // of the one before
  for (std::size_t i = 0; i < prompt.media.size(); ++i) {
    const PromptMedia& media = prompt.media[i];
    CHECK((media.picture == nullptr) != (media.sound == nullptr), "medium {}", i);
    if (media.n < 1 || media.first < end || media.end() > prompt.size()) {
      return fmt::format(
          "{} {}: expected its soft tokens within positions {} to {}, found {} at {}", media.kind(),
          i, end, prompt.size(), media.n, media.first);
    }
    if (media.is_block() && media.n > longest_block) {
      return fmt::format("{} {}: takes {} tokens; the model was loaded for at most {}",
                         media.kind(), i, media.n, longest_block);
    }
    end = media.end();
  }
  return std::nullopt;
}

std::int64_t common_tokens(const PromptView& a, const PromptView& b, std::int64_t most) {
  const auto n = static_cast<std::size_t>(std::min({most, a.size(), b.size()}));
  const auto differs =
      std::mismatch(a.tokens.begin(), a.tokens.begin() + static_cast<long>(n), b.tokens.begin());
  std::int64_t common = differs.first - a.tokens.begin();
  auto of_a = a.media.begin();
  auto of_b = b.media.begin();
  for (; of_a != a.media.end() && of_b != b.media.end(); ++of_a, ++of_b) {
    if (of_a->first != of_b->first || of_a->n != of_b->n || of_a->key() != of_b->key()) break;
  }
  if (of_a != a.media.end()) common = std::min(common, of_a->first);
  if (of_b != b.media.end()) common = std::min(common, of_b->first);
  return common;
}

std::int64_t whole_blocks(std::span<const PromptMedia> media, std::int64_t done, std::int64_t n) {
  const std::int64_t end = done + n;
  const auto cut = std::find_if(media.begin(), media.end(), [&](const PromptMedia& one) {
    return one.is_block() && one.first < end && end < one.end();
  });
  if (n == 0 || cut == media.end()) return n;
  return cut->first > done ? cut->first - done : cut->end() - done;
}

std::int64_t continuable(std::span<const PromptMedia> media, std::int64_t n, std::int64_t window) {
  const auto cut = std::find_if(media.begin(), media.end(), [&](const PromptMedia& one) {
    return one.is_block() && one.first < n && n < one.end();
  });
  if (cut == media.end() || n - window < cut->first) return n;
  return cut->first;
}

std::optional<SoftRows> soft_rows_within(const PromptMedia& media, const MediaRows& rows,
                                         std::int64_t done, std::int64_t n) {
  const std::int64_t first = std::max(media.first, done);
  const std::int64_t end = std::min(media.end(), done + n);
  if (first >= end) return std::nullopt;
  CHECK(rows && rows->size() % static_cast<std::size_t>(media.n) == 0);
  const auto dim = static_cast<std::int64_t>(rows->size()) / media.n;
  SoftRows soft;
  soft.first = first - done;
  soft.rows = std::span(*rows).subspan(static_cast<std::size_t>((first - media.first) * dim),
                                       static_cast<std::size_t>((end - first) * dim));
  soft.is_block = media.is_block();
  if (soft.is_block) soft.n_before = first - media.first;
  return soft;
}

}  // namespace pleiad
