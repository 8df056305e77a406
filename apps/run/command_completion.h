#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "terminal/editor/line_editor.h"

namespace pleiad::apps {

/// Completes slash commands: their names, the words behind /set and /show, parameters, models,
/// files. `models`: the names at hand; asked when they are needed. `home`: what ~ stands for.
terminal::Completer command_completer(std::function<std::vector<std::string>()> models,
                                      std::filesystem::path home);

}  // namespace pleiad::apps
