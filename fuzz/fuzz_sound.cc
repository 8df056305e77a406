// Any bytes at all, decoded as a sound. Whatever is wrong must end in a sentence; what is a sound
// must be within the limits and made of numbers.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "media/media_kind.h"
#include "media/sound/sound.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pleiad::media;
  const auto bytes = std::as_bytes(std::span(data, size));
  static_cast<void>(sniff_media(bytes));
  SoundLimits limits;
  limits.max_seconds = 2;
  const auto sound = prepare_sound(bytes, {}, limits);
  if (!sound.ok()) {
    if (sound.message().empty()) std::abort();
    return 0;
  }
  const PreparedSound& heard = sound.value();
  if (heard.samples.empty()) std::abort();
  if (static_cast<double>(heard.samples.size()) > limits.max_seconds * kSoundRate + 2) std::abort();
  for (const float sample : heard.samples.whole()) {
    if (!std::isfinite(sample)) std::abort();
  }
  return 0;
}
