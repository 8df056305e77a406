#pragma once

namespace pleiad::apps {

/// Runs what the arguments ask for and returns the exit status. Throws what ends it.
int run_command_line(int argc, char** argv);

}  // namespace pleiad::apps
