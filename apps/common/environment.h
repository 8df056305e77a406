#pragma once

#include <filesystem>
#include <string>

namespace pleiad::apps {

/// What the program takes from its surroundings, read once in main().
struct Environment {
  std::string isa;                     // PLEIAD_ISA: force an instruction set
  bool colour = true;                  // NO_COLOR unset, TERM not "dumb"
  std::filesystem::path executable;    // /proc/self/exe
  std::filesystem::path home;          // HOME
  std::filesystem::path state_folder;  // XDG_STATE_HOME/pleiad; empty: none known
};

Environment read_environment();

}  // namespace pleiad::apps
