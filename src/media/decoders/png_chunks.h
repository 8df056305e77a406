#pragma once

#include "media/decoders/decoder.h"

namespace pleiad::media {

/// The orientation that a PNG names: in eXIf, wherever that stands, else in the XMP of an iTXt that
/// is not compressed. Only the heads of chunks and these two are looked at.
Orientation png_orientation(Bytes png);

}  // namespace pleiad::media
