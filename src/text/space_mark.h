#pragma once

#include <string_view>

namespace pleiad::text {

/// U+2581, which stands for a blank in the vocabulary's pieces.
inline constexpr std::string_view kSpaceMark = "\xE2\x96\x81";

}  // namespace pleiad::text
