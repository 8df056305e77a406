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
    text::Prompt pages;
    for (const ShownMedia::Part& part : prepared[static_cast<std::size_t>(place)]->shown.parts) {
      pages.add_text(part.before);
    }
    use.tokens += std::ssize(tokenizer.encode(pages));
  }
  for (const MediaSpan& span : prompt.media) {
    uses[static_cast<std::size_t>(span.media)].dropped = false;
  }
  return uses;
}

}  // namespace pleiad::serving
