#include "engine/media/prompt_media.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace pleiad {

PromptPicture without_pixels(const PromptPicture& picture) {
  auto known = std::make_shared<PictureInput>();
  known->digest = picture.picture->digest;
  known->width = picture.picture->width;
  known->height = picture.picture->height;
  return {picture.first, picture.n, std::move(known)};
}

std::optional<std::string> picture_places_error(const PromptView& prompt,
                                                std::int64_t longest_block) {
  std::int64_t end = 0;  // of the one before
  for (std::size_t i = 0; i < prompt.pictures.size(); ++i) {
    const PromptPicture& picture = prompt.pictures[i];
    CHECK(picture.picture, "picture {}", i);
    if (picture.n < 1 || picture.first < end || picture.end() > prompt.size()) {
      return fmt::format(
          "picture {}: expected its soft tokens within positions {} to {}, found {} at {}", i, end,
          prompt.size(), picture.n, picture.first);
    }
    if (picture.n > longest_block) {
      return fmt::format("picture {}: takes {} tokens; the model was loaded for at most {}", i,
                         picture.n, longest_block);
    }
    end = picture.end();
  }
  return std::nullopt;
}

std::int64_t common_tokens(const PromptView& a, const PromptView& b, std::int64_t most) {
  const auto n = static_cast<std::size_t>(std::min({most, a.size(), b.size()}));
  const auto differs =
      std::mismatch(a.tokens.begin(), a.tokens.begin() + static_cast<long>(n), b.tokens.begin());
  std::int64_t common = differs.first - a.tokens.begin();
  auto of_a = a.pictures.begin();
  auto of_b = b.pictures.begin();
  for (; of_a != a.pictures.end() && of_b != b.pictures.end(); ++of_a, ++of_b) {
    if (of_a->first != of_b->first || of_a->n != of_b->n ||
        of_a->picture->digest != of_b->picture->digest) {
      break;
    }
  }
  if (of_a != a.pictures.end()) common = std::min(common, of_a->first);
  if (of_b != b.pictures.end()) common = std::min(common, of_b->first);
  return common;
}

std::int64_t whole_blocks(std::span<const PromptPicture> pictures, std::int64_t done,
                          std::int64_t n) {
  const std::int64_t end = done + n;
  const auto cut = std::find_if(pictures.begin(), pictures.end(), [&](const PromptPicture& p) {
    return p.first < end && end < p.end();
  });
  if (n == 0 || cut == pictures.end()) return n;
  return cut->first > done ? cut->first - done : cut->end() - done;
}

std::int64_t continuable(std::span<const PromptPicture> pictures, std::int64_t n,
                         std::int64_t window) {
  const auto cut = std::find_if(pictures.begin(), pictures.end(),
                                [&](const PromptPicture& p) { return p.first < n && n < p.end(); });
  if (cut == pictures.end() || n - window < cut->first) return n;
  return cut->first;
}

std::optional<SoftRows> soft_rows_within(const PromptPicture& picture, const PictureRows& rows,
                                         std::int64_t done, std::int64_t n) {
  const std::int64_t first = std::max(picture.first, done);
  const std::int64_t end = std::min(picture.end(), done + n);
  if (first >= end) return std::nullopt;
  CHECK(rows && rows->size() % static_cast<std::size_t>(picture.n) == 0);
  const auto dim = static_cast<std::int64_t>(rows->size()) / picture.n;
  return SoftRows{first - done,
                  std::span(*rows).subspan(static_cast<std::size_t>((first - picture.first) * dim),
                                           static_cast<std::size_t>((end - first) * dim)),
                  true, first - picture.first};
}

}  // namespace pleiad
