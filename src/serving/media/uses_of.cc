#include "serving/media/uses_of.h"

#include <cstddef>
#include <iterator>
#include <utility>

namespace pleiad::serving {

std::vector<MediaUse> uses_of(const AnswerPrompt& prompt, const text::Tokenizer& tokenizer,
                              std::span<const std::shared_ptr<const PreparedMedia>> prepared) {
  std::vector<MediaUse> uses;
  uses.reserve(prepared.size());
  for (const auto& media : prepared) {
    uses.push_back(media->use);
    uses.back().dropped = true;
  }
  for (const int place : prompt.shown) {
    MediaUse& use = uses[static_cast<std::size_t>(place)];
    if (!std::exchange(use.dropped, false) || use.kind != MediaKind::document) continue;
    const ShownMedia& pages = prepared[static_cast<std::size_t>(place)]->shown;
    use.tokens += std::ssize(tokenizer.encode(text_of(pages)));
  }
  for (const MediaSpan& span : prompt.media) {
    uses[static_cast<std::size_t>(span.media)].dropped = false;
  }
  return uses;
}

}  // namespace pleiad::serving
