#pragma once

#include <span>
#include <string>

namespace pleiad::apps {

/// Runs what the arguments ask for, of which the first is the program's name, and returns the exit
/// status. Throws what ends it.
int run_command_line(std::span<const std::string> arguments);

}  // namespace pleiad::apps
