#include "apps/common/environment.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace pleiad::apps {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

Environment read_environment() {
  Environment environment;
  environment.isa = variable("PLEIAD_ISA");
  environment.colour = variable("NO_COLOR").empty() && variable("TERM") != "dumb";
  environment.home = variable("HOME");
  std::error_code error;
  environment.executable = std::filesystem::read_symlink("/proc/self/exe", error);
  if (const std::string state = variable("XDG_STATE_HOME"); !state.empty()) {
    environment.state_folder = std::filesystem::path(state) / "pleiad";
  } else if (!environment.home.empty()) {
    environment.state_folder = environment.home / ".local" / "state" / "pleiad";
  }
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals == text.npos) continue;
    if (text.starts_with("PLEIAD_") || text.starts_with("OLLAMA_")) {
      environment.variables.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return environment;
}

}  // namespace pleiad::apps
