#include "serving/media/show_document.h"

#include <fmt/format.h>

#include <utility>

#include "base/text_format.h"

namespace pleiad::serving {
namespace {

constexpr std::size_t kLongestName = 4 * kMostNameBytes;  // escapes are longer

}  // namespace

ShownMedia show_document(media::Document document, std::string_view name,
                         const VisionPrompt& vision, const MediaHold& hold) {
  ShownMedia shown;
  shown.kind = ShownMedia::Kind::document;
  std::string text = "<document>\n";
  if (!name.empty()) text += fmt::format("<title>{}</title>\n", printable(name, kLongestName));
  bool is_first = true;
  for (media::DocumentPage& page : document.pages) {
    if (!std::exchange(is_first, false)) text += "\n\n";
    if (document.has_pages) text += fmt::format("Page {}:\n", page.number);
    text += page.text;
    if (!page.picture) continue;
    ShownMedia picture = show(std::move(*page.picture), vision, hold);
    picture.parts.front().before = std::exchange(text, std::string());
    shown.parts.push_back(std::move(picture.parts.front()));
  }
  text += "\n</document>";
  shown.parts.push_back({.before = std::move(text), .n = 0, .picture = nullptr, .sound = nullptr});
  return shown;
}

}  // namespace pleiad::serving
