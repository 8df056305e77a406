#pragma once

#include <string>
#include <string_view>

#include "apps/run/slash_commands.h"

namespace pleiad::apps {

/// /image ...: what stands behind it. A path is handed on: the outcome's `picture`.
CommandOutcome image_command(std::string_view rest, ChatState& state, const ModelFacts& facts);

/// The pictures that wait for the next message and those of the conversation, one a line.
std::string pictures_text(const ChatState& state, const ModelFacts& facts);

}  // namespace pleiad::apps
