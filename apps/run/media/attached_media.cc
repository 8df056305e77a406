#include "apps/run/media/attached_media.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text_format.h"

namespace pleiad::apps {
namespace {

constexpr std::array<std::string_view, 3> kPagesAsWords = {"auto", "text", "image"};

std::string count_text(std::int64_t n) { return format_count(static_cast<std::uint64_t>(n)); }

/// ", 5 of 12 pages, 1 of them as a picture"; nothing of a document without pages.
std::string pages_text(const serving::MediaUse& use) {
  if (use.total_pages == 0) return "";
  std::string text =
      use.pages == use.total_pages
          ? fmt::format(", {} page{}", count_text(use.pages), use.pages == 1 ? "" : "s")
          : fmt::format(", {} of {} pages", count_text(use.pages), count_text(use.total_pages));
  if (use.picture_pages == 1 && use.pages == 1) return text + " as a picture";
  if (use.picture_pages > 0) {
    text += fmt::format(", {} of them as {}", count_text(use.picture_pages),
                        use.picture_pages == 1 ? "a picture" : "pictures");
  }
  return text;
}

}  // namespace

Result<PageWishes::PagesAs> read_pages_as(std::string_view text) {
  const auto found = std::ranges::find(kPagesAsWords, text);
  if (found == kPagesAsWords.end()) {
    return Failure{fmt::format("expected {}, found '{}'", kPagesAs, printable(text))};
  }
  return static_cast<PageWishes::PagesAs>(found - kPagesAsWords.begin());
}

std::string_view pages_as_word(PageWishes::PagesAs as) {
  return kPagesAsWords[static_cast<std::size_t>(as)];
}

std::string label(const AttachedMedia& media) {
  return media.name.empty() ? std::string(singular(media.kind)) : printable(media.name);
}

std::string media_text(const AttachedMedia& media) {
  std::string text = label(media);
  if (!media.is_read()) return fmt::format("{}, {}", text, format_bytes(media.bytes->size()));
  const serving::MediaUse& use = media.use;
  if (media.kind == ShownMedia::Kind::document) {
    text += pages_text(use);
    return media.is_counted ? text + fmt::format(", {} tokens", count_text(use.tokens)) : text;
  }
  if (media.kind != ShownMedia::Kind::sound) {
    text +=
        fmt::format(", {} x {}", count_text(use.original.width), count_text(use.original.height));
  }
  if (media.kind != ShownMedia::Kind::picture) text += fmt::format(", {:.1f} s", use.seconds);
  if (media.kind == ShownMedia::Kind::video) {
    text += fmt::format(", {} frame{}{}", count_text(use.frames), use.frames == 1 ? "" : "s",
                        use.clips > 0 ? " and its sound" : "");
  }
  return text + fmt::format(", {} tokens", count_text(use.tokens));
}

std::string_view part_type(ShownMedia::Kind kind) {
  constexpr std::array<std::string_view, 4> kTypes = {"image", "audio", "video", "document"};
  return kTypes[static_cast<std::size_t>(kind)];
}

}  // namespace pleiad::apps
