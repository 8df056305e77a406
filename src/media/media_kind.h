#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace pleiad::media {

enum class MediaKind : std::uint8_t { picture, sound, video, document };

/// "picture", "sound", "video", "document", as errors call it.
std::string_view kind_name(MediaKind kind);

/// What the bytes are, by their content: a name or a type that somebody gave them counts for
/// nothing. A container is a video where one of its tracks is one (streams/tracks.h). Animations of
/// GIF and WebP are pictures. Of documents PDF alone has bytes to be known by. Empty: none that is
/// known, which text is, too.
std::optional<MediaKind> sniff_media(std::span<const std::byte> bytes);

}  // namespace pleiad::media
