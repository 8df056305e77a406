#include "media/streams/audio_frames.h"

#include <algorithm>
#include <array>

#include "media/byte_reader.h"

namespace pleiad::media {
namespace {

constexpr std::size_t kSearched = 4096;
/// Chance has a header every thousand bytes or so; two that agree with each other are no chance at
/// the very beginning, and four are none anywhere.
constexpr int kAtBeginning = 2;
constexpr int kFurtherOn = 4;

/// How many frames follow each other, `most` at most. One that the bytes end in counts.
int count_frames(std::span<const std::byte> bytes,
                 std::size_t (*frame_size)(std::span<const std::byte>), int most) {
  int n = 0;
  while (n < most && !bytes.empty()) {
    const std::size_t size = frame_size(bytes);
    if (size == 0) return n;
    ++n;
    bytes = bytes.subspan(std::min(size, bytes.size()));
  }
  return n;
}

}  // namespace

std::size_t id3_size(std::span<const std::byte> bytes) {
  constexpr std::size_t kHeader = 10;
  std::size_t at = 0;
  while (begins_with(bytes, "ID3", at) && bytes.size() - at >= kHeader) {
    std::size_t size = 0;
    for (std::size_t i = 6; i < kHeader; ++i) size = size << 7 | (read_u8(bytes, at + i) & 0x7F);
    const bool has_footer = (read_u8(bytes, at + 5) & 0x10) != 0;
    at = std::min(bytes.size(), at + kHeader + size + (has_footer ? kHeader : 0));
  }
  return at;
}

std::size_t mpeg_frame_size(std::span<const std::byte> bytes) {
  if (bytes.size() < 4 || read_u8(bytes, 0) != 0xFF) return 0;
  const std::uint32_t second = read_u8(bytes, 1);
  const std::uint32_t third = read_u8(bytes, 2);
  if ((second & 0xE0) != 0xE0) return 0;
  const std::uint32_t version = second >> 3 & 3;  // 3: MPEG-1, 2: MPEG-2, 0: MPEG-2.5
  const std::uint32_t layer = second >> 1 & 3;    // 1: III, 2: II
  const std::uint32_t bitrate = third >> 4;
  const std::uint32_t rate = third >> 2 & 3;
  if (version == 1 || (layer != 1 && layer != 2) || bitrate == 0 || bitrate == 15 || rate == 3) {
    return 0;
  }
  using Kilobits = std::array<std::uint16_t, 15>;
  constexpr Kilobits kLayer2 = {0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384};
  constexpr Kilobits kLayer3 = {0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320};
  constexpr Kilobits kMpeg2 = {0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160};
  constexpr std::array<std::uint32_t, 3> kRates = {44'100, 48'000, 32'000};
  const bool first = version == 3;
  const Kilobits& table = !first ? kMpeg2 : layer == 1 ? kLayer3 : kLayer2;
  const std::uint32_t samples_per_second = kRates[rate] >> (first ? 0 : version == 2 ? 1 : 2);
  const std::uint32_t samples = layer == 1 && !first ? 576 : 1152;
  const std::uint32_t padding = third >> 1 & 1;
  return samples / 8 * table[bitrate] * 1000 / samples_per_second + padding;
}

std::size_t adts_frame_size(std::span<const std::byte> bytes) {
  constexpr std::size_t kHeader = 7;
  if (bytes.size() < kHeader || read_u8(bytes, 0) != 0xFF || (read_u8(bytes, 1) & 0xF6) != 0xF0) {
    return 0;
  }
  const std::uint32_t rate = read_u8(bytes, 2) >> 2 & 15;
  const std::size_t size =
      (read_u8(bytes, 3) & 3) << 11 | read_u8(bytes, 4) << 3 | read_u8(bytes, 5) >> 5;
  return rate > 12 || size < kHeader ? 0 : size;
}

bool finds_frames(std::span<const std::byte> bytes,
                  std::size_t (*frame_size)(std::span<const std::byte>)) {
  if (count_frames(bytes, frame_size, kAtBeginning) == kAtBeginning) return true;
  const std::size_t end = std::min(bytes.size(), kSearched);
  for (std::size_t at = 1; at < end; ++at) {
    if (count_frames(bytes.subspan(at), frame_size, kFurtherOn) == kFurtherOn) return true;
  }
  return false;
}

}  // namespace pleiad::media
