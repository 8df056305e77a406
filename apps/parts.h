#pragma once

#include <functional>
#include <string>

#include "apps/common/cli_names.h"
#include "apps/common/environment.h"
#include "apps/usage/program_text.h"

// What this build of the program can do. One of two sources is linked: all_parts.cc, or
// local_parts.cc where there are no libraries for media, servers and stores of models.

namespace pleiad::apps {

/// What the program is and how it is called, above the list of commands.
std::string about_program();

/// Adds the commands; when one is called, `chosen` is set to what runs it.
void add_commands(CLI::App& app, const Environment& environment, std::function<int()>& chosen);

/// What other builds have and this one has not.
LeftOut left_out();

/// Where the program started itself, to read what it does not trust: does that and ends. Else
/// returns. Throws Error.
void become_child(int argc, const char* const* argv);

}  // namespace pleiad::apps
