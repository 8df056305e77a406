#pragma once

#include <optional>

#include "media/reader.h"

namespace pleiad::apps {

/// This program's own file, started as a helper that reads one picture (src/media/reader.h): a
/// command of its own, which no help names. The file is that which runs now, whatever has taken its
/// place meanwhile.
media::HelperProgram own_media_helper();

/// Where the arguments are those of such a helper, lives as one and returns its exit status, by
/// which the process ends at once. It comes before all else that a program does.
std::optional<int> run_as_media_helper(int argc, const char* const* argv);

}  // namespace pleiad::apps
