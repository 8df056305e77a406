#include "engine/media/media_prompt.h"

#include <utility>

#include "base/check.h"

namespace pleiad {

VisionPrompt vision_prompt(const Checkpoint& checkpoint) {
  VisionPrompt vision;
  vision.problem = checkpoint.picture_problem();
  if (!vision.problem.empty()) return vision;
  const gemma4::MediaTokens& tokens = checkpoint.media_tokens();
  vision.tokens = {.begin = *tokens.image_begin, .soft = *tokens.image, .end = *tokens.image_end};
  const gemma4::VisionConfig& tower = *checkpoint.vision();
  vision.default_budget = tower.default_budget;
  vision.longest_side = tower.position_table_size * tower.patch_size;
  return vision;
}

std::optional<std::string> chat_media_error(
    const text::ChatInput& chat, std::size_t n_media,
    const std::function<std::string(std::size_t media)>& field_of) {
  for (const text::MediaPlace& place : text::media_places(chat)) {
    if (place.part->kind != text::ContentPart::Kind::image) {
      return place.path + ": expected text or a picture";
    }
    const auto index = static_cast<std::size_t>(place.part->media);
    if (place.part->media < 0 || index >= n_media) {
      return place.path + ": a picture without its bytes";
    }
    const std::string& role = chat.messages[place.message].role;
    if (place.message == 0 && (role == "system" || role == "developer")) {
      return (field_of ? field_of(index) : place.path) +
             ": the models' template has no place for pictures in the system message; give them "
             "with a message of the user's";
    }
  }
  return std::nullopt;
}

MediaPrompt expand_media(text::Encoding encoding, const MediaTokens& tokens,
                         std::span<const std::int64_t> n_soft_tokens) {
  MediaPrompt prompt;
  if (encoding.media.empty()) {
    prompt.encoding = std::move(encoding);
    return prompt;
  }
  std::size_t n_expanded = encoding.tokens.size();
  for (const text::EncodedMedia& place : encoding.media) {
    CHECK(place.media >= 0 && static_cast<std::size_t>(place.media) < n_soft_tokens.size());
    n_expanded += static_cast<std::size_t>(n_soft_tokens[place.media]) + 1;
  }
  std::vector<text::TokenId>& out = prompt.encoding.tokens;
  out.reserve(n_expanded);
  auto from = encoding.tokens.cbegin();
  for (const text::EncodedMedia& place : encoding.media) {
    const auto at = encoding.tokens.cbegin() + static_cast<std::ptrdiff_t>(place.at);
    out.insert(out.end(), from, at);
    from = at + 1;
    const std::int64_t n = n_soft_tokens[place.media];
    out.push_back(tokens.begin);
    prompt.spans.push_back({place.media, static_cast<std::int64_t>(out.size()), n});
    out.insert(out.end(), static_cast<std::size_t>(n), tokens.soft);
    out.push_back(tokens.end);
  }
  out.insert(out.end(), from, encoding.tokens.cend());
  prompt.encoding.whole = encoding.whole;
  prompt.encoding.least_count = encoding.least_count + (out.size() - encoding.tokens.size());
  return prompt;
}

std::int64_t mark_spelled_media(text::Encoding& encoding, text::TokenId soft,
                                std::int64_t n_media) {
  std::int64_t n = 0;
  for (std::size_t i = 0; i < encoding.tokens.size(); ++i) {
    if (encoding.tokens[i] != soft) continue;
    if (n < n_media) {
      encoding.tokens[i] = text::kMediaToken;
      encoding.media.push_back({.at = i, .media = static_cast<int>(n)});
    }
    ++n;
  }
  return n;
}

}  // namespace pleiad
