#pragma once

#include <string>
#include <string_view>

#include "apps/run/slash_commands.h"

namespace pleiad::apps {

/// /image, /audio and /video: what stands behind it. A path is handed on: the outcome's `attach`.
CommandOutcome media_command(ShownMedia::Kind kind, std::string_view rest, ChatState& state,
                             const ModelFacts& facts);

/// The pictures, sounds and videos that wait for the next message and those of the conversation,
/// one a line.
std::string media_list(const ChatState& state, const ModelFacts& facts);

}  // namespace pleiad::apps
