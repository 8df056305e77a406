#pragma once

#include <span>
#include <string_view>

#include "apps/run/slash_commands.h"

namespace pleiad::apps {

/// /set WORD ...: what stands behind /set. Throws Error for files.
CommandOutcome change_setting(std::string_view rest, ChatState& state, const ModelFacts& facts);

/// The words that may follow /set.
std::span<const std::string_view> setting_words();

}  // namespace pleiad::apps
