#pragma once

#include <string>
#include <string_view>

#include "apps/run/slash_commands.h"

namespace pleiad::apps {

/// /image, /audio, /video and /file: what stands behind it. A path is handed on: the outcome's
/// `attach`.
CommandOutcome media_command(ShownMedia::Kind kind, std::string_view rest, ChatState& state,
                             const ModelFacts& facts);

/// "image", "audio", "video", "file": the command that attaches one.
std::string_view media_word(ShownMedia::Kind kind);

/// The pictures, sounds, videos and documents that wait for the next message and those of the
/// conversation, one a line.
std::string media_list(const ChatState& state, const ModelFacts& facts);

}  // namespace pleiad::apps
