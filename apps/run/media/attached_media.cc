#include "apps/run/media/attached_media.h"

#include <fmt/format.h>

#include <array>

#include "base/text_format.h"

namespace pleiad::apps {

std::string media_text(const AttachedMedia& media) {
  std::string text = printable(media.name);
  if (!media.is_read()) return fmt::format("{}, {}", text, format_bytes(media.bytes->size()));
  const auto count = [](std::int64_t n) { return format_count(static_cast<std::uint64_t>(n)); };
  const serving::MediaUse& use = media.use;
  if (media.kind != ShownMedia::Kind::sound) {
    text += fmt::format(", {} x {}", count(use.original.width), count(use.original.height));
  }
  if (media.kind != ShownMedia::Kind::picture) text += fmt::format(", {:.1f} s", use.seconds);
  if (media.kind == ShownMedia::Kind::video) {
    text += fmt::format(", {} frame{}{}", count(use.frames), use.frames == 1 ? "" : "s",
                        use.clips > 0 ? " and its sound" : "");
  }
  return text + fmt::format(", {} tokens", count(use.tokens));
}

std::string_view part_type(ShownMedia::Kind kind) {
  constexpr std::array<std::string_view, 4> kTypes = {"image", "audio", "video", "document"};
  return kTypes[static_cast<std::size_t>(kind)];
}

}  // namespace pleiad::apps
