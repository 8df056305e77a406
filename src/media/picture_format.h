#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace pleiad::media {

enum class PictureFormat : std::uint8_t { jpeg, png, webp, gif, bmp, tiff, heic, avif };

/// "JPEG", "PNG" and so on, as errors call it.
std::string_view format_name(PictureFormat format);

/// What the bytes begin like: a name or a type that somebody gave them counts for nothing. Empty:
/// none of these.
std::optional<PictureFormat> sniff_picture(std::span<const std::byte> bytes);

}  // namespace pleiad::media
