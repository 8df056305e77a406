#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

namespace pleiad::apps {

/// What the program takes from its surroundings, read once in main().
struct Environment {
  std::string isa;                     // PLEIAD_ISA: force an instruction set
  bool colour = true;                  // NO_COLOR unset, TERM not "dumb"
  std::filesystem::path executable;    // /proc/self/exe
  std::filesystem::path home;          // HOME
  std::filesystem::path state_folder;  // XDG_STATE_HOME/pleiad; empty: none known
  std::map<std::string, std::string, std::less<>> variables;  // PLEIAD_* and OLLAMA_*
};

Environment read_environment();

}  // namespace pleiad::apps
