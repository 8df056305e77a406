#pragma once

#include "convert/mix.h"
#include "model/checkpoint.h"
#include "model/gemma4/encoder_kind.h"

namespace pleiad::convert {

/// Throws Error where a tower of `source`, which is there, has a size or a factor that `container`
/// has no place for: what a projector file has no key for, and config.json no field, must be as
/// readers take it.
void check_tower_fits(const Checkpoint& source, gemma4::EncoderKind kind, Container container);

}  // namespace pleiad::convert
