#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <variant>

#include "base/result.h"
#include "media/helper/messages.h"
#include "media/prepare.h"
#include "media/sound/sound.h"
#include "media/video/video.h"

// Reading what the helper says. A file may have taken it over: every number is compared with what
// it must be, nothing is allocated by a number that was not, and texts are filtered.
namespace pleiad::media {

/// Fills the span with what comes next; false where it ends before.
using ReadExactly = std::function<bool(std::span<std::byte>)>;

/// Why there is no answer.
enum class NoAnswer : std::uint8_t {
  ended,    // before it was whole
  nonsense  // it cannot be one to this question
};

template <typename Prepared>
using Answer = std::variant<Prepared, Failure, NoAnswer>;

/// Room for samples is made as they come, so many bytes at a time.
inline constexpr std::size_t kSamplesAtATime = std::size_t{4} << 20;

/// That the helper is ready, with Confinement::bits(), or why it could not confine itself.
std::variant<std::uint32_t, Failure, NoAnswer> read_ready(const ReadExactly& read);

/// The answer to a question of these options and limits.
Answer<PreparedPicture> read_answer(const ReadExactly& read, const PictureOptions& options,
                                    const DecodeLimits& limits);
Answer<PreparedSound> read_answer(const ReadExactly& read, const SoundOptions& options,
                                  const SoundLimits& limits);
Answer<PreparedVideo> read_answer(const ReadExactly& read, const VideoOptions& options,
                                  const VideoLimits& limits);

}  // namespace pleiad::media
