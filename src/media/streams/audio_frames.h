#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace pleiad::media {

// Sound that is nothing but frames one behind the other, each with a header of its own, and tags
// before it.

/// Bytes of the ID3v2 tags that the bytes begin with (ID3 tag version 2.4.0, section 3.1), at most
/// all; 0 without one.
std::size_t id3_size(std::span<const std::byte> bytes);

/// Bytes of the frame that begins there, by its header; 0 where none does. MPEG audio: ISO/IEC
/// 11172-3, 2.4.1.3, and 13818-3; layers II and III.
std::size_t mpeg_frame_size(std::span<const std::byte> bytes);
/// AAC: ISO/IEC 13818-7, 6.2.
std::size_t adts_frame_size(std::span<const std::byte> bytes);

/// Whether such frames follow each other: all there are, but several, at the very beginning; more
/// where the first is looked for within the first kilobytes, as in a recording that was cut.
bool finds_frames(std::span<const std::byte> bytes,
                  std::size_t (*frame_size)(std::span<const std::byte>));

}  // namespace pleiad::media
