// Any bytes at all, decoded as a picture and made into what a tower sees. Whatever is wrong must
// end in a sentence; what is a picture must be within the limits, and the same upright and on its
// way to another size.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "media/budget.h"
#include "media/prepare.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pleiad::media;
  DecodeLimits limits;
  limits.max_pixels = 200'000;
  limits.max_side = 4'000;
  limits.max_scans = 20;
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto pixels = decode_picture(bytes, limits);
  const auto prepared = prepare_picture(bytes, {.budget = 70}, limits);
  if (pixels.ok() != prepared.ok()) std::abort();
  if (!pixels.ok()) {
    if (pixels.message().empty() || pixels.message() != prepared.message()) std::abort();
    return 0;
  }
  const PictureSize found = pixels.value().size;
  if (found.width < 1 || found.height < 1 || found != prepared.value().original) std::abort();
  const auto n_pixels =
      static_cast<std::uint64_t>(found.width) * static_cast<std::uint64_t>(found.height);
  if (n_pixels > limits.max_pixels || pixels.value().rgb.size() != n_pixels * 3) std::abort();
  if (prepared.value().pixels.size != target_size(found, 70)) std::abort();
  return 0;
}
