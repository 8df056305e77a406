#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pleiad::media {

/// A page or a document as text.
struct ConvertedText {
  std::string text;
  std::vector<std::string> warnings;
};

/// As a process that converts writes it, and as it is read from there, where nothing of it is
/// believed: a Failure where it cannot be what to_wire() made.
std::string to_wire(const ConvertedText& converted);
Result<ConvertedText> from_wire(std::string_view bytes);

}  // namespace pleiad::media
