#pragma once

#include "apps/run/media/attached_media.h"
#include "apps/run/media/media_flags.h"

namespace CLI {
class App;
}

namespace pleiad::apps {

/// Tells the command of --image, --audio, --video and --file, which are taken in the order in which
/// they are given, whatever the kind, and of what says how they are shown. Both outlive the
/// parsing.
void add_media_flags(CLI::App& command, MediaFlags& media, MediaWishes& wishes);

}  // namespace pleiad::apps
