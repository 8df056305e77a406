#include "media/streams/promised_length.h"

#include <algorithm>

#include "media/byte_reader.h"

namespace pleiad::media {
namespace {

/// Programs that write to a pipe put 0, 0x7FFFFFFF less a header, 0x80000000 or 0xFFFFFFFF there.
constexpr std::uint64_t kNoLength = 0x7FFF'0000;

std::uint64_t read_u64_little(std::span<const std::byte> bytes, std::uint64_t at) {
  return read_u32_little(bytes, at) | std::uint64_t{read_u32_little(bytes, at + 4)} << 32;
}

}  // namespace

std::optional<WavData> wav_data(std::span<const std::byte> bytes) {
  constexpr std::uint64_t kChunkHeader = 8;
  std::optional<std::uint64_t> long_size;  // of RF64, whose own is 0xFFFFFFFF
  for (std::uint64_t at = 12; at + kChunkHeader <= bytes.size();) {
    const std::uint64_t size = read_u32_little(bytes, at + 4);
    const std::uint64_t begin = at + kChunkHeader;
    if (begins_with(bytes, "ds64", at)) long_size = read_u64_little(bytes, begin + 8);
    if (begins_with(bytes, "data", at)) {
      const std::uint64_t promised = size == 0xFFFF'FFFF && long_size ? *long_size : size;
      const std::uint64_t present = std::min(promised, bytes.size() - begin);
      if (promised == 0 || (size >= kNoLength && !long_size)) return std::nullopt;
      return WavData{promised, present};
    }
    at = begin + size + (size & 1);
  }
  return std::nullopt;
}

}  // namespace pleiad::media
