#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace pleiad::media {

/// What the header of a WAV file says of its samples and what there is of them, in bytes.
struct WavData {
  std::uint64_t promised = 0;
  std::uint64_t present = 0;

  bool operator==(const WavData&) const = default;
};

/// Bytes that may be missing all the same: some programs count their headers as samples.
inline constexpr std::uint64_t kLostOfWav = 4096;

/// Empty where the header tells no length, as that of a recording that was written as it came
/// (0, or 2 GiB and more that are not there), and where there are no samples at all. RIFF,
/// RF64.
std::optional<WavData> wav_data(std::span<const std::byte> bytes);

}  // namespace pleiad::media
