#include "model/sound_input.h"

#include <span>
#include <utility>

#include "base/sha256.h"

namespace pleiad {

SoundInput make_sound_input(std::vector<float> samples) {
  Sha256Digest sum;
  sum.add(std::as_bytes(std::span(samples)));
  return {sum.finish(), std::move(samples)};
}

}  // namespace pleiad
